/** The audit log by tasks: what each spent, with the gateway and as it would be without, and what that costs. */
import type { AuditLine, AuditQuestion, AuditReport, ModelRates, TaskReport, WorkReport } from '../protocol/audit-api.js'
import { readLines } from './audit-files.js'
import { type Work, worksOf } from './audit-work.js'
import { priceOf } from './prices.js'

export function auditReport(question: AuditQuestion): AuditReport {
  const { gapMs, models, ratesAsOf } = question
  let damagedLines = 0
  const lines = readLines(question, () => damagedLines++)
  const works = [...bySession(lines).values()].flatMap((session) => worksOf(session, gapMs))
  works.sort((a, b) => a.since - b.since)
  return {
    ratesAsOf,
    models,
    gapSeconds: gapMs / 1000,
    damagedLines,
    total: works.length === 0 ? null : workReport(sumOf(works), models),
    tasks: works.map((work): TaskReport => ({ session: work.session, client: work.client, ...workReport(work, models) })),
  }
}

// --- internal ---

function bySession(lines: readonly AuditLine[]): Map<string, AuditLine[]> {
  const sessions = new Map<string, AuditLine[]>()
  for (const line of lines) {
    const known = sessions.get(line.session)
    if (known) known.push(line)
    else sessions.set(line.session, [line])
  }
  return sessions
}

function workReport(work: Omit<Work, 'session' | 'client'>, models: Readonly<Record<string, ModelRates>>): WorkReport {
  const { sluice, direct, errorTokens, duplicateTokens, estimated, calls, searches, reads, errors, duplicates } = work
  return {
    since: new Date(work.since).toISOString(),
    until: new Date(work.until).toISOString(),
    calls,
    searches,
    reads,
    errors,
    duplicates,
    tokens: { sluice, direct, errors: errorTokens, duplicates: duplicateTokens, estimated },
    prices: Object.entries(models).map(([model, rates]) => priceOf(model, rates, work)),
  }
}

function sumOf(works: readonly Work[]): Work {
  return works.reduce((sum, work) => ({
    session: sum.session,
    client: sum.client,
    since: Math.min(sum.since, work.since),
    until: Math.max(sum.until, work.until),
    calls: sum.calls + work.calls,
    searches: sum.searches + work.searches,
    reads: sum.reads + work.reads,
    errors: sum.errors + work.errors,
    duplicates: sum.duplicates + work.duplicates,
    errorTokens: sum.errorTokens + work.errorTokens,
    duplicateTokens: sum.duplicateTokens + work.duplicateTokens,
    estimated: sum.estimated || work.estimated,
    sluice: added(sum.sluice, work.sluice),
    direct: added(sum.direct, work.direct),
  }))
}

function added(a: Work['sluice'], b: Work['sluice']): Work['sluice'] {
  return {
    requests: a.requests + b.requests,
    results: a.results + b.results,
    definitions: a.definitions + b.definitions,
    definitionsWritten: a.definitionsWritten + b.definitionsWritten,
  }
}
