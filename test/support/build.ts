/** Compiles the project once before any test runs: worker threads and the command need files in `dist/`. */
import { execFileSync } from 'node:child_process'

export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
