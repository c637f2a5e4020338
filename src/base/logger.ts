/** A logger that writes one JSON line an event to stderr; stdout belongs to MCP. */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Logger {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

interface LoggerOptions {
  /** Lines below this level are not written. */
  readonly level: LogLevel
  /** Takes secrets out of the fields' texts before a line is written. */
  readonly redact?: (text: string) => string
  /** Where lines go; stderr by default. */
  readonly write?: (line: string) => void
}

export function createLogger(options: LoggerOptions): Logger {
  const redact = options.redact ?? ((text: string) => text)
  const write = options.write ?? ((line: string) => process.stderr.write(line))
  const floor = LOG_LEVELS.indexOf(options.level)
  const at = (level: LogLevel) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(level) < floor) return
    const shown = Object.entries(fields ?? {}).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value])
    write(`${JSON.stringify({ ts: new Date().toISOString(), level, event, ...Object.fromEntries(shown) })}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLogger: Logger = createLogger({ level: 'silent', write: () => undefined })
