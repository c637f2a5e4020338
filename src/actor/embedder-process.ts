/** The one process in which all sessions' texts are embedded natively: forked on use, started again when it dies, ended with the gateway. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { EmbedderNews, FetchProgress, ModelPlaces } from '../protocol/vector-api.js'
import { workerUrl } from './worker-urls.js'

export interface EmbedderProcess {
  /** Where it listens, or will as soon as it has started. Starts it if it has not been. */
  socket(): string
  /** Of the process that runs now. */
  readonly pid: number | undefined
  /** Ends it, within a second. Idempotent. */
  stop(): Promise<void>
}

export interface EmbedderProcessOptions extends ModelPlaces {
  readonly logger: Logger
  /** Told while a model is fetched. */
  readonly onProgress?: (progress: FetchProgress) => void
}

export function createEmbedderProcess(options: EmbedderProcessOptions): EmbedderProcess {
  const { logger, onProgress, ...places } = options
  let path: string | undefined
  let child: ChildProcess | undefined
  let restart: NodeJS.Timeout | undefined
  let deaths = 0
  let stopped = false

  const start = () => {
    const args = JSON.stringify({ ...places, path })
    const startedAt = performance.now()
    // Its stdout belongs to nobody, and the library writes whole tensors to stderr.
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const
    const forked = fork(fileURLToPath(workerUrl('embed')), [args], { execArgv: [], stdio: [...stdio] })
    child = forked
    forked.unref()
    forked.channel?.unref()
    forked.on('message', (news: EmbedderNews) => {
      if ('progress' in news) onProgress?.(news.progress)
    })
    forked.on('error', (error) => logger.error('embedder.failed', { cause: messageOf(error) }))
    forked.once('exit', (code, signal) => {
      if (stopped) return
      deaths = performance.now() - startedAt > STEADY_MS ? 1 : deaths + 1
      logger.warn('embedder.died', { cause: signal ?? `exit code ${code}` })
      restart = setTimeout(start, Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (deaths - 1)))
      restart.unref()
    })
  }
  return {
    socket() {
      if (path === undefined) {
        path = socketPath()
        start()
      }
      return path
    },
    get pid() {
      return child?.exitCode === null && child.signalCode === null ? child.pid : undefined
    },
    async stop() {
      stopped = true
      clearTimeout(restart)
      if (child) await ended(child)
      if (path !== undefined && process.platform !== 'win32') rmSync(dirname(path), { recursive: true, force: true })
    },
  }
}

// --- internal ---

const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 30_000
/** A process that lived longer did not die of what killed the one before it. */
const STEADY_MS = 60_000
/** It holds nothing that could be lost; this is for a batch to end. */
const PATIENCE_MS = 500

/** In a folder for this user's eyes alone: whoever reaches the socket may use the models. */
function socketPath(): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\sluice-embed-${randomUUID()}`
  return join(mkdtempSync(join(tmpdir(), 'sluice-embed-')), 'socket')
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    if (child.connected) child.disconnect()
  })
}
