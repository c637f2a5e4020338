/** Upstreams over real fixture processes, and a listener that remembers. */
import { fileURLToPath } from 'node:url'
import type { SluiceError } from '../../src/base/errors.js'
import { silentLogger } from '../../src/base/logger.js'
import { readListPage } from '../../src/catalog/list-page.js'
import type { ServerConfig, Wire } from '../../src/config/config.js'
import { asBuffer, frameFacts, requestFrame } from '../../src/protocol/frame.js'
import { createLinkOpener } from '../../src/upstream/open-link.js'
import type { UpstreamSettings } from '../../src/upstream/shared-upstreams.js'
import { createUpstream } from '../../src/upstream/supervised-upstream.js'
import type { ClientFacts, Upstream, UpstreamListener } from '../../src/upstream/upstream.js'
import type { UpstreamCompute } from '../../src/upstream/upstream-compute.js'

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../dist/test/fixtures/${name}.js`, import.meta.url))
}

export function stdioWire(
  command: string,
  args: readonly string[],
  more: Partial<Extract<Wire, { kind: 'stdio' }>> = {},
): Wire {
  return { kind: 'stdio', command, args, env: {}, cwd: undefined, inheritEnv: false, ...more }
}

/** A server that runs the wayward fixture with these arguments. */
export function wayward(args: readonly string[] = [], more: Partial<ServerConfig> = {}): ServerConfig {
  return {
    name: 'wayward',
    alias: more.name ?? 'wayward',
    description: undefined,
    wire: stdioWire(process.execPath, [fixture('wayward-server'), ...args]),
    include: [],
    exclude: [],
    responseThreshold: [],
    diet: undefined,
    instances: 'session',
    connectTimeoutMs: 15_000,
    callTimeoutMs: undefined,
    idleTimeoutMs: undefined,
    ...more,
  }
}

export const testClient: ClientFacts = {
  protocolVersion: '2025-06-18',
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: 'test-client', version: '1.0' },
}

/** What the pool does, in this thread. */
const inlineCompute: UpstreamCompute = {
  frameFacts: async (frame) => ({ facts: frameFacts(frame), frame }),
  readList: async (frame, kind) => readListPage(frame, kind),
}

export function upstreamSettings(more: Partial<UpstreamSettings> = {}): UpstreamSettings {
  const maxMessageBytes = more.maxMessageBytes ?? 256 << 20
  return {
    openLink: createLinkOpener({ inheritedEnv: environment(), maxMessageBytes, logger: silentLogger }),
    maxMessageBytes,
    compute: inlineCompute,
    logger: silentLogger,
    backoff: { firstMs: 100 },
    ...more,
  }
}

function environment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

interface Heard {
  readonly states: string[]
  readonly lists: string[]
  readonly requests: { method: string; id: unknown; bytes: number; params: unknown }[]
  readonly notifications: string[]
}

export function rememberingListener(): UpstreamListener & Heard {
  const heard: Heard = { states: [], lists: [], requests: [], notifications: [] }
  return {
    ...heard,
    stateChanged: (upstream) => heard.states.push(upstream.state),
    listChanged: (_, kind) => heard.lists.push(kind),
    request: (_, { frame, message }) =>
      heard.requests.push({ method: message.method, id: message.id, bytes: frame.length, params: message.params }),
    notification: (_, { message }) => heard.notifications.push(message.method),
  }
}

/** Makes upstreams whose listener remembers what it heard, and stops all of them. */
export function upstreamFactory() {
  const made: Upstream[] = []
  return {
    supervise: (server: ServerConfig, more: Partial<UpstreamSettings> = {}) => {
      const listener = rememberingListener()
      const upstream = createUpstream({ ...upstreamSettings(more), server, client: testClient, listener })
      made.push(upstream)
      return { upstream, listener }
    },
    stopAll: async () => {
      await Promise.all(made.splice(0).map((upstream) => upstream.stop()))
    },
  }
}

export function toolNames(upstream: Upstream): string[] {
  return upstream.list('tools').map(({ key }) => key)
}

/** The error a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<SluiceError> {
  const outcome = await promise.then(
    () => undefined,
    (error: SluiceError) => error,
  )
  if (!outcome) throw new Error('it should have failed')
  return outcome
}

/** Asks a ready server and resolves to its response, parsed. */
export function ask<R = unknown>(upstream: Upstream, method: string, params?: object): Promise<{ result: R; id: number }> {
  return new Promise((resolve, reject) => {
    upstream.request((id) => requestFrame(id, method, params), {
      answer: (frame) => resolve(JSON.parse(asBuffer(frame).toString('utf8'))),
      fail: reject,
    })
  })
}

export async function until(holds: () => boolean, limitMs = 20_000): Promise<void> {
  const endAt = Date.now() + limitMs
  while (!holds()) {
    if (Date.now() > endAt) throw new Error(`not within ${limitMs} ms: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
