/** Name and version of this package, as it is told to clients and servers. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface PackageFacts {
  readonly name: string
  readonly version: string
}

/** The package's folder: two levels above this module in `src/`, three in `dist/src/`. */
export function packageRoot(): string {
  const inDist = import.meta.url.includes('/dist/src/')
  return fileURLToPath(new URL(inDist ? '../../../' : '../../', import.meta.url))
}

export function packageFacts(): PackageFacts {
  return JSON.parse(readFileSync(`${packageRoot()}package.json`, 'utf8')) as PackageFacts
}
