/** A client of the command line's own, in front of a gateway in this process: commands ask it over the same path as any client does. */
import { createLogger } from '../base/logger.js'
import { packageFacts } from '../base/version.js'
import type { GatewayConfig, Settings } from '../config/config.js'
import type { Environment } from '../config/environment.js'
import { Coordinator } from '../gateway/coordinator.js'
import type { SessionContext } from '../gateway/session-context.js'
import { parseMessage } from '../protocol/frame.js'
import { findMember, textOf } from '../protocol/json-spans.js'
import { PROTOCOL_VERSIONS } from '../protocol/versions.js'
import type { FlagValues } from './commands.js'

/** JSON text of a result, or of an error's body. */
export type LocalAnswer = { readonly ok: string } | { readonly error: string }

export interface LocalSession {
  readonly context: SessionContext
  /** @param paramsJson the JSON text of the params, passed on as it is */
  ask(method: string, paramsJson: string): Promise<LocalAnswer>
  /** Resolves when each server's first attempt is over and what landed is ready. */
  settled(): Promise<void>
  /** Ends the servers and threads. */
  close(): Promise<void>
}

interface LocalSessionOptions {
  readonly config: GatewayConfig
  readonly environment: Environment
  readonly flags: Readonly<Partial<FlagValues>>
  /** Servers are not waited for before the first question. */
  readonly atOnce?: boolean
}

export async function openLocalSession(options: LocalSessionOptions): Promise<LocalSession> {
  const { environment, flags, atOnce = false } = options
  const config = atOnce ? withoutInitWait(options.config) : options.config
  const { version } = packageFacts()
  const logger = createLogger({ level: flags['log-level'] ?? 'silent', redact: config.redact })
  const { variables: inheritedEnv, dataDir } = environment
  const coordinator = new Coordinator({ config, version, logger, inheritedEnv, dataDir, configPath: flags.config })
  const waiting = new Map<string, (answer: LocalAnswer) => void>()
  const session = coordinator.openSession(
    { id: 'cli', transport: 'stdio' },
    {
      answer: (key, frame) => waiting.get(key)?.(answerOf(frame)),
      push: () => undefined,
    },
  )
  const send = (frame: Buffer) => {
    const incoming = parseMessage(frame)
    if (incoming) session.receive(incoming)
  }
  let lastId = 0
  const ask = (method: string, paramsJson: string) =>
    new Promise<LocalAnswer>((resolve) => {
      const id = ++lastId
      waiting.set(String(id), resolve)
      send(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${paramsJson}}`))
    })
  const client = { protocolVersion: PROTOCOL_VERSIONS[0], capabilities: {}, clientInfo: { name: 'sluice-cli', version } }
  await ask('initialize', JSON.stringify(client))
  send(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'))
  return {
    context: session,
    ask,
    async settled() {
      await Promise.all(session.upstreams.all().map(({ firstAttempt }) => firstAttempt))
      session.settleNames()
      await session.catalog.ready()
    },
    close: () => coordinator.close(),
  }
}

// --- internal ---

function withoutInitWait(config: GatewayConfig): GatewayConfig {
  const atOnce = (settings: Settings): Settings => ({ ...settings, initWaitMs: 0 })
  const clients = config.clients.map(({ glob, settings }) => ({ glob, settings: atOnce(settings) }))
  return { ...config, settings: atOnce(config.settings), clients }
}

function answerOf(frame: Uint8Array): LocalAnswer {
  const result = findMember(frame, 0, 'result')
  if (result) return { ok: textOf(frame, result) }
  const error = findMember(frame, 0, 'error')
  return { error: error ? textOf(frame, error) : '{}' }
}
