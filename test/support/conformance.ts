/** Runs the `server` scenarios of the conformance suite against an address, in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/base/version.js'
import { isolatedEnv } from './gateway.js'

/** How each check of the suite went, as `SUCCESS`, `WARNING` or `FAILURE` and why, by scenario and check. */
export type Verdicts = ReadonlyMap<string, string>

const LIMIT_MS = 120_000

/** Checks of status INFO only tell what was sent, and are left out. */
export async function runConformance(url: string): Promise<Verdicts> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-conformance-'))
  const glob = pathToFileURL(join(packageRoot(), 'dist/test/fixtures/glob-sync.js')).href
  const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
  const args = ['--import', glob, suite, 'server', '--url', url, '--suite', 'all', '-o', folder]
  try {
    const said = await run(args, folder)
    const verdicts = readVerdicts(folder)
    if (verdicts.size === 0) throw new Error(`the conformance suite has no results: ${said}`)
    return verdicts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The names of the checks that passed. */
export function passed(verdicts: Verdicts): string[] {
  return [...verdicts].filter(([, verdict]) => verdict === 'SUCCESS').map(([check]) => check)
}

// --- internal ---

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Failed checks make it end with code 1. */
function run(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env: isolatedEnv(cwd), timeout: LIMIT_MS, maxBuffer: 1 << 26 }, (_, out, err) =>
      resolve(out + err),
    )
  })
}

function readVerdicts(folder: string): Verdicts {
  const verdicts = new Map<string, string>()
  for (const result of readdirSync(folder)) {
    const scenario = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(result)?.[1]
    if (scenario === undefined) continue
    const checks = JSON.parse(readFileSync(join(folder, result, 'checks.json'), 'utf8')) as Check[]
    for (const { id, status, errorMessage } of checks) {
      if (status !== 'INFO') verdicts.set(`${scenario}: ${id}`, errorMessage ? `${status}: ${errorMessage}` : status)
    }
  }
  return verdicts
}
