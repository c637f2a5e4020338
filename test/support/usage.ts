/** Folders for usage files, and processes that record into them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { UsageNotice } from '../../src/protocol/usage-api.js'

const RECORDER = fileURLToPath(new URL('../../dist/test/fixtures/usage-recorder.js', import.meta.url))

export interface Recorded {
  /** Batches. */
  readonly recorded: number
  readonly notices: readonly UsageNotice[]
  readonly error?: string
}

/** A folder of its own for one test, and how to remove it. */
export function usageFolder(): { file: string; folder: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-usage-'))
  return {
    folder,
    file: path.join(folder, 'usage.db'),
    remove() {
      chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true })
    },
  }
}

/** A recorder that waits for `begin`; with `maxFileBytes` it cannot write files beyond that, as on a full disk. */
export async function startRecorder(
  file: string,
  batch: { server: string; batches: number; size: number },
  maxFileBytes?: number,
) {
  const args = [RECORDER, file, batch.server, String(batch.batches), String(batch.size)]
  const limited = ['-c', `ulimit -f ${Math.ceil((maxFileBytes ?? 0) / 512)}; exec "$@"`, 'sh', process.execPath, ...args]
  const child = maxFileBytes === undefined ? spawn(process.execPath, args) : spawn('/bin/sh', limited)
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return {
    async begin(): Promise<Recorded> {
      child.stdin.end()
      const [said] = await Promise.all([text(child.stdout), ended])
      return JSON.parse(said)
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
  }
}
