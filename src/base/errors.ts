/** The one error class of the house and the table of its codes. Codes are the interface; texts may change. */

interface ErrorEntry {
  /** What happened, for a person. */
  readonly what: string
  /** What the person can do about it. */
  readonly todo: string
}

export const ERROR_CODES = {
  ACTOR_DIED: { what: 'a worker thread ended while it was working', todo: 'call again; it is restarted by itself' },
  ACTOR_FAILED: { what: 'a worker thread failed', todo: 'call again, and report it if it stays' },
  ACTOR_STOPPED: { what: 'the worker thread was stopped', todo: 'the session is over; open a new one' },
  ASK_TIMEOUT: { what: 'no answer within the deadline', todo: 'call again, or raise the deadline' },
  ABORTED: { what: 'the request was cancelled', todo: 'nothing; it was asked for' },
  MAILBOX_FULL: { what: 'too many requests are waiting', todo: 'wait for earlier answers, then call again' },
  CONFIG_MISSING: { what: 'the configuration file cannot be read', todo: 'check the path' },
  CONFIG_SYNTAX: { what: 'the configuration file is not valid JSON', todo: 'mend the line it names' },
  CONFIG_INVALID: { what: 'the configuration has a fault', todo: 'mend the field it names' },
  CONFIG_UNTRUSTED: {
    what: 'a file of this folder would start commands and is not trusted yet',
    todo: 'read it, then run "sluice trust" in this folder, or name it with --config',
  },
  CONFIG_NONE: { what: 'no configuration was found', todo: 'name one with --config, or try "sluice demo"' },
  FILE_BUSY: { what: 'another program has changed the file', todo: 'close the program that writes it, then run it again' },
  FILE_WRITE: { what: 'the file cannot be written', todo: 'check the rights and the free space of its folder' },
  NO_SERVER_LEFT: { what: 'no usable server is left', todo: 'mend the entries named above' },
  USAGE: { what: 'the command line has a fault', todo: 'see "sluice --help"' },
  UPSTREAM_SPAWN: { what: 'the server could not be started', todo: 'check its command and PATH' },
  UPSTREAM_EXITED: {
    what: 'the server exited',
    todo: 'call again, which starts it; if that fails too, mend what it says or its entry',
  },
  UPSTREAM_CONNECT: { what: 'the server could not be reached', todo: 'check its url and that it runs' },
  UPSTREAM_REFUSED: { what: 'the server refused a request', todo: 'mend what it complains of, or its url and headers' },
  UPSTREAM_LOGIN: {
    what: 'the server needs a login',
    todo: 'run that where Sluice runs; it goes on by itself, without a restart',
  },
  UPSTREAM_SCOPE: {
    what: 'the login at the server does not reach so far',
    todo: 'run that where Sluice runs; it asks for what was missing, and needs no restart',
  },
  LOGIN_FAILED: { what: 'the login did not succeed', todo: 'mend what it says, and log in again' },
  UPSTREAM_START_TIMEOUT: { what: 'the server did not start in time', todo: 'raise its connectTimeout' },
  UPSTREAM_TIMEOUT: { what: 'the server did not answer in time', todo: 'raise its callTimeout' },
  UPSTREAM_PROTOCOL: { what: 'the server broke the protocol', todo: 'report it to its maintainers' },
  UPSTREAM_STOPPED: { what: 'the server was stopped', todo: 'open a new session' },
  MESSAGE_TOO_LARGE: { what: 'a message is larger than the limit', todo: 'ask for less, or raise maxMessageBytes' },
  TOKEN_FILE: {
    what: 'the file of tokens cannot be used',
    todo: 'mend it, or remove it and add the tokens anew',
  },
  USAGE_FILE: {
    what: 'the file of what was learned from use cannot be used',
    todo: 'check the rights and the free space of the data folder',
  },
  AUDIT_FILE: {
    what: 'the audit log cannot be written or read',
    todo: 'check the rights and the free space of the data folder',
  },
  LABEL_UNKNOWN: { what: 'nothing is indexed under this label', todo: 'use a label from a receipt or a hit' },
  INTERNAL: { what: 'a fault of Sluice', todo: 'please report it' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERROR_CODES

/** An error as plain data, as it crosses threads. */
export interface ErrorData {
  readonly code: ErrorCode
  readonly detail: string
}

export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  readonly code: ErrorCode
  readonly detail: string

  /**
   * @param code a key of {@link ERROR_CODES}
   * @param detail which thing, what was found; a sentence without its full stop. Defaults to the table's text.
   */
  constructor(code: ErrorCode, detail: string = ERROR_CODES[code].what, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
    this.detail = detail
  }

  /** The whole message for a person: detail, then what to do. */
  get advice(): string {
    const gap = this.detail.includes('\n') ? '\n' : ' '
    return `${this.detail.trimEnd()}${gap}(${this.code}: ${ERROR_CODES[this.code].todo})`
  }

  toData(): ErrorData {
    return { code: this.code, detail: this.detail }
  }

  static fromData(data: ErrorData): SluiceError {
    return new SluiceError(data.code, data.detail)
  }
}

/** Any thrown value as a SluiceError; a foreign one gets `fallback` as its code and is kept as the cause. */
export function asSluiceError(thrown: unknown, fallback: ErrorCode = 'INTERNAL'): SluiceError {
  if (thrown instanceof SluiceError) return thrown
  return new SluiceError(fallback, messageOf(thrown), { cause: thrown })
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
