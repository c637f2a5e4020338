/** Folders with an audit log, lines for it, and processes that write it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { AuditLine } from '../../src/protocol/audit-api.js'

const WRITER = fileURLToPath(new URL('../../dist/test/fixtures/audit-writer.js', import.meta.url))

/** A data folder that goes with the test; it does not exist yet. */
export function auditFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

/** Complete lines of the log's files, by their names; an incomplete last one throws. */
export function filesOf(dataDir: string): Map<string, AuditLine[]> {
  const folder = join(dataDir, 'audit')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  return new Map(names.sort().map((name) => [name, parseLines(readFileSync(join(folder, name), 'utf8'))]))
}

export function allLines(dataDir: string): AuditLine[] {
  return [...filesOf(dataDir).values()].flat()
}

/** Without one that is still being written. */
export function parseLines(text: string): AuditLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditLine)
}

const AT = Date.UTC(2026, 8, 8, 12)

/** A call of one token that took 10 ms. */
export function auditLine(line: Partial<AuditLine> & { readonly seconds?: number } = {}): AuditLine {
  const { seconds = 0, ...rest } = line
  return {
    ts: new Date(AT + seconds * 1000).toISOString(),
    session: 's1',
    client: 'test',
    server: 'github',
    tool: 'get',
    kind: 'call',
    argsHash: `a${seconds}`,
    resultHash: `r${seconds}`,
    requestBytes: 100,
    responseBytes: 100,
    responseTokens: 1,
    sentBytes: 100,
    sentTokens: 1,
    tokensEstimated: false,
    isError: false,
    receipt: false,
    durationMs: 10,
    ...rest,
  }
}

/** A process that appends batches of lines when told to. */
export async function startWriter(
  dataDir: string,
  options: { session: string; batches: number; size: number; maxFileBytes: number },
) {
  const { session, batches, size, maxFileBytes } = options
  const child = spawn(process.execPath, [WRITER, dataDir, session, String(batches), String(size), String(maxFileBytes)])
  await once(child.stdout, 'data')
  return {
    async begin(): Promise<void> {
      const ended = once(child, 'exit')
      child.stdin.end()
      const [code] = (await ended) as [number]
      if (code !== 0) throw new Error(`the writer ended with ${code}`)
    },
  }
}
