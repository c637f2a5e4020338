/** A logger that writes one line an event to stderr, for people or as JSON; stdout belongs to MCP. */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Logger {
  /** Whether its lines are JSON; loggers of other threads are to write alike. */
  readonly json: boolean
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

interface LoggerOptions {
  /** Lines below this level are not written. */
  readonly level: LogLevel
  /** An object a line, in place of text; false by default. */
  readonly json?: boolean
  /** Takes secrets out of the fields' texts before a line is written. */
  readonly redact?: (text: string) => string
  /** Where lines go; stderr by default. */
  readonly write?: (line: string) => void
}

export function createLogger(options: LoggerOptions): Logger {
  const redact = options.redact ?? ((text: string) => text)
  const json = options.json ?? false
  const write = options.write ?? ((line: string) => process.stderr.write(line))
  const floor = LOG_LEVELS.indexOf(options.level)
  const at = (level: LogLevel) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(level) < floor) return
    const shown = Object.entries(fields ?? {}).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value])
    const line = { ts: new Date().toISOString(), level, event, ...Object.fromEntries(shown) }
    write(`${json ? JSON.stringify(line) : renderLine(line)}\n`)
  }
  return { json, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLogger: Logger = createLogger({ level: 'silent', write: () => undefined })

// --- internal ---

/** `2026-09-08T12:00:00.000Z warn upstream_down server=github error="it exited with 1"` */
function renderLine({ ts, level, event, ...fields }: { ts: string; level: string; event: string } & LogFields): string {
  const shown = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : `${key}=${renderValue(value)}`))
  return [ts, level, event, ...shown].join(' ')
}

/** Whatever could end the line, or look like another field, is quoted and escaped. */
function renderValue(value: string | number | boolean): string {
  const text = String(value)
  if (/^[\w./:@%+-]+$/.test(text)) return text
  return JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}
