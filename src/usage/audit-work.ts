/** A session's lines of the audit log as tasks: calls without a longer pause between them. */
import type { AuditLine, Spending } from '../protocol/audit-api.js'

export interface Work {
  readonly session: string
  readonly client: string
  /** Both in ms since 1970. */
  readonly since: number
  readonly until: number
  readonly calls: number
  readonly searches: number
  readonly reads: number
  readonly errors: number
  readonly duplicates: number
  /** With the gateway. */
  readonly sluice: Spending
  /** As it would be without: no receipts, searches and reads, and the servers' own definitions. */
  readonly direct: Spending
  readonly errorTokens: number
  readonly duplicateTokens: number
  readonly estimated: boolean
}

/**
 * @param lines of one session, in any order
 * @param gapMs a longer pause between the end of all calls and the next one begins another task
 */
export function worksOf(lines: readonly AuditLine[], gapMs: number): Work[] {
  const tasks: Task[] = []
  const definitions = new Definitions()
  for (const { line, at } of timed(lines)) {
    if (line.tool === 'tools/list' && (line.kind === 'list' || line.kind === 'page')) definitions.listed(line)
    if (line.kind !== 'call' && line.kind !== 'search' && line.kind !== 'read') continue
    let task = tasks.at(-1)
    if (!task || at - task.until > gapMs) {
      task = new Task(line, at)
      tasks.push(task)
    }
    task.add(line, at, definitions)
  }
  return tasks
}

// --- internal ---

interface Timed {
  readonly line: AuditLine
  /** When it began, ms since 1970. */
  readonly at: number
}

function timed(lines: readonly AuditLine[]): Timed[] {
  return lines.map((line) => ({ line, at: Date.parse(line.ts) })).sort((a, b) => a.at - b.at)
}

/** What a session has been listed; nothing before its first list. */
class Definitions {
  sluice = 0
  direct = 0
  /** Changes with every list that is another. */
  version = 0
  #lastHash: string | null = null

  listed({ kind, sentTokens, responseTokens, resultHash }: AuditLine): void {
    if (kind === 'page') {
      this.sluice += sentTokens
      return
    }
    if (resultHash === null || resultHash !== this.#lastHash) this.version++
    this.#lastHash = resultHash
    this.sluice = sentTokens
    this.direct = responseTokens
  }
}

/** Requests to the model, counted by the calls that came of them: calls side by side came of one. */
class Requests implements Spending {
  requests = 0
  results = 0
  definitions = 0
  definitionsWritten = 0
  #until = Number.NEGATIVE_INFINITY
  #version = -1

  add({ at, until }: { at: number; until: number }, results: number, definitions: { tokens: number; version: number }): void {
    this.results += results
    if (at >= this.#until) {
      this.requests++
      this.definitions += definitions.tokens
      if (definitions.version !== this.#version) this.definitionsWritten += definitions.tokens
      this.#version = definitions.version
    }
    this.#until = Math.max(this.#until, until)
  }

  spending(): Spending {
    const { requests, results, definitions, definitionsWritten } = this
    return { requests, results, definitions, definitionsWritten }
  }
}

class Task implements Work {
  readonly session: string
  readonly client: string
  readonly since: number
  until: number
  calls = 0
  searches = 0
  reads = 0
  errors = 0
  duplicates = 0
  errorTokens = 0
  duplicateTokens = 0
  estimated = false
  readonly #sluice = new Requests()
  readonly #direct = new Requests()
  readonly #seen = new Set<string>()

  constructor({ session, client }: AuditLine, at: number) {
    this.session = session
    this.client = client
    this.since = at
    this.until = at
  }

  get sluice(): Spending {
    return this.#sluice.spending()
  }

  get direct(): Spending {
    return this.#direct.spending()
  }

  add(line: AuditLine, at: number, { sluice, direct, version }: Definitions): void {
    const time = { at, until: at + line.durationMs }
    this.until = Math.max(this.until, time.until)
    this.estimated ||= line.tokensEstimated
    this.#sluice.add(time, line.sentTokens, { tokens: sluice, version })
    if (line.kind === 'search') this.searches++
    else if (line.kind === 'read') this.reads++
    else {
      this.calls++
      this.#direct.add(time, line.responseTokens, { tokens: direct, version })
    }
    if (line.isError) {
      this.errors++
      this.errorTokens += line.sentTokens
    }
    if (this.#repeats(line)) {
      this.duplicates++
      this.duplicateTokens += line.sentTokens
    }
  }

  #repeats({ kind, server, tool, argsHash, resultHash }: AuditLine): boolean {
    if (kind !== 'call' || argsHash === null || resultHash === null) return false
    const key = JSON.stringify([server, tool, argsHash, resultHash])
    if (this.#seen.has(key)) return true
    this.#seen.add(key)
    return false
  }
}
