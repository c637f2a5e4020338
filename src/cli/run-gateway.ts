/** Runs the gateway until its client goes or the process is told to end. */
import { setFlagsFromString } from 'node:v8'
import { createLogger, type Logger } from '../base/logger.js'
import { packageFacts } from '../base/version.js'
import { createWarmLoop, type WarmLoop } from '../base/warm-loop.js'
import type { GatewayConfig } from '../config/config.js'
import type { Environment } from '../config/environment.js'
import { Coordinator } from '../gateway/coordinator.js'
import { openAccess } from '../transport/access.js'
import { serveHttp } from '../transport/http-server.js'
import { serveStdio } from '../transport/stdio.js'
import { openStdout } from '../transport/stdout.js'
import { TokenFile } from '../transport/token-file.js'
import type { FlagValues } from './commands.js'

interface RunOptions {
  readonly config: GatewayConfig
  readonly environment: Environment
  readonly flags: Readonly<Partial<FlagValues>>
  /** Tells a person where the gateway listens and how to connect; on stderr by default. */
  readonly announce?: (text: string) => void
}

/**
 * Keeps V8's nursery at its first size. Grown by the first large messages it would hold some 30 MB for as long as there is traffic;
 * what a gateway allocates dies at once, so more room buys no speed (measured: small calls and indexing stay as they are).
 */
const SMALL_YOUNG_GENERATION = '--semi-space-growth-factor=1'
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 7411

/** One client over stdin and stdout. The exit code. */
export async function runStdioGateway(options: RunOptions): Promise<number> {
  const warmLoop = createWarmLoop()
  const { coordinator, logger } = open(options, warmLoop)
  const { maxMessageBytes } = options.config.settings
  const server = serveStdio({
    host: coordinator,
    input: process.stdin,
    output: openStdout(),
    maxMessageBytes,
    logger,
    warmLoop,
  })
  const signals = untilSignal()
  await Promise.race([server.closed, signals.fired])
  await server.close()
  await coordinator.close()
  return 0
}

/** Many clients over Streamable HTTP, until a signal. The exit code. */
export async function runHttpGateway(options: RunOptions): Promise<number> {
  const { config, environment, flags, announce = (text) => process.stderr.write(text) } = options
  const { coordinator, logger } = open(options, createWarmLoop())
  const signals = untilSignal()
  try {
    const tokens = new TokenFile(environment.dataDir)
    const access = await openAccess({ tokens, jwt: config.settings.jwt, logger })
    const server = await serveHttp({
      host: coordinator,
      access,
      hostname: flags.host ?? DEFAULT_HOST,
      port: flags.port ?? DEFAULT_PORT,
      sessionIdleMs: config.settings.sessionIdleMs,
      logger,
      status: () => coordinator.status(),
    })
    announce(connectText(server.url, access.required))
    await signals.fired
    access.close()
    await server.close()
  } finally {
    await coordinator.close()
  }
  return 0
}

// --- internal ---

function open({ config, environment, flags }: RunOptions, warmLoop: WarmLoop): { coordinator: Coordinator; logger: Logger } {
  setFlagsFromString(SMALL_YOUNG_GENERATION)
  const level = flags['log-level'] ?? (flags.quiet ? 'error' : 'warn')
  const logger = createLogger({ level, json: flags['log-json'] ?? false, redact: config.redact })
  for (const note of config.notes) logger.warn('configuration', { note })
  for (const { name, reason } of config.disabled) logger.error('server disabled', { server: name, reason })
  const { version } = packageFacts()
  const { variables, dataDir } = environment
  const coordinator = new Coordinator({
    config,
    version,
    logger,
    inheritedEnv: variables,
    dataDir,
    configPath: flags.config,
    warmLoop,
  })
  if (variables['SLUICE_TEST_HOOKS'] === '1') process.on('SIGUSR2', () => void coordinator.killThreads())
  return { coordinator, logger }
}

function untilSignal(): { fired: Promise<void> } {
  const fired = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  return { fired }
}

function connectText(url: string, needsToken: boolean): string {
  const header = needsToken ? ' --header "Authorization: Bearer <token>"' : ''
  const headers = needsToken ? ', "headers": { "Authorization": "Bearer <token>" }' : ''
  return [
    '',
    `  Endpoint     ${url}`,
    `  Claude Code  claude mcp add --transport http sluice ${url}${header}`,
    `  Any client   { "mcpServers": { "sluice": { "url": "${url}"${headers} } } }`,
    `  Health       ${url.replace(/mcp$/, 'healthz')}`,
    '',
    '',
  ].join('\n')
}
