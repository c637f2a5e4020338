/** `sluice audit`: what sessions spent, task by task, and what models would charge for it, with Sluice and without. */
import { createComputePool } from '../actor/compute-pool.js'
import type { AuditReport, ModelPrice, SpendingPrice, TaskReport, WorkReport } from '../protocol/audit-api.js'
import { counted, dollars, grouped, minute, renderColumns } from './columns.js'
import { loadRates, ratesFor } from './model-rates.js'
import type { ReportOptions } from './stats.js'

export interface AuditOptions extends ReportOptions {
  /** Seconds without a call that end a task; 120 by default. */
  readonly gap: number | undefined
  /** Undefined: all that have rates. */
  readonly model: string | undefined
  /** A file of rates that go before ours. */
  readonly prices: string | undefined
}

/** The exit code: 1 where lines of the log could not be read. Rejects with USAGE or AUDIT_FILE. */
export async function audit(options: AuditOptions): Promise<number> {
  const { dataDir, json, write, gap = GAP_S, model, prices } = options
  const { asOf, models } = ratesFor(loadRates(prices), model)
  const pool = createComputePool({ maxThreads: 1 })
  try {
    const report = await pool.run('readAudit', { dataDir, gapMs: gap * 1000, ratesAsOf: asOf, models })
    write(json ? `${JSON.stringify(report, null, 2)}\n` : renderAudit(report))
    return report.damagedLines > 0 ? 1 : 0
  } finally {
    await pool.close()
  }
}

export function renderAudit(report: AuditReport): string {
  const { total, tasks } = report
  if (!total) return 'Nothing is recorded yet.\n'
  const { sluice, direct } = total.tokens
  return [
    `${counted(tasks.length, 'task')} with ${counted(total.calls, 'call')}, ${minute(total.since)} to ${minute(total.until)} UTC\n`,
    renderColumns(
      ['Tokens', 'requests', 'results', 'definitions', 'of these not cached'],
      [
        ['with Sluice', sluice.requests, sluice.results, sluice.definitions, sluice.definitionsWritten].map(cell),
        ['without', direct.requests, direct.results, direct.definitions, direct.definitionsWritten].map(cell),
      ],
    ),
    renderColumns(MODEL_HEADS, total.prices.map(modelRow)),
    taskTable(tasks),
    notes(report, total),
  ].join('\n')
}

// --- internal ---

const GAP_S = 120
const SHOWN_TASKS = 20
const MODEL_HEADS = ['US$', 'with Sluice', 'cached', 'without', 'cached', 'errors', 'duplicates']

function cell(value: string | number): string {
  return typeof value === 'number' ? grouped(value) : value
}

function modelRow({ model, sluice, direct, errors, duplicates }: ModelPrice): string[] {
  const sums = [full(sluice), cached(sluice), full(direct), cached(direct), errors, duplicates]
  return [model, ...sums.map(dollars)]
}

function full({ results, definitions }: SpendingPrice): number {
  return results + definitions
}

function cached({ results, definitionsCached }: SpendingPrice): number {
  return results + definitionsCached
}

/** The last ones, in the first model's prices with caching. */
function taskTable(tasks: readonly TaskReport[]): string {
  const model = tasks[0]?.prices[0]?.model ?? ''
  const rows = tasks.slice(-SHOWN_TASKS).map((task) => {
    const [price] = task.prices
    return [
      minute(task.since),
      task.client,
      ...[task.calls, task.searches + task.reads, task.errors, task.duplicates].map(grouped),
      ...(price ? [dollars(cached(price.sluice)), dollars(cached(price.direct))] : ['', '']),
    ]
  })
  const title = tasks.length > SHOWN_TASKS ? `Last ${SHOWN_TASKS} tasks` : 'Task'
  return renderColumns([title, 'client', 'calls', 'own', 'errors', 'duplicates', `US$, ${model}`, 'without'], rows)
}

function notes({ ratesAsOf, gapSeconds, damagedLines }: AuditReport, { tokens }: WorkReport): string {
  return [
    `Rates as of ${ratesAsOf}. A pause of ${gapSeconds} s ends a task. Calls side by side count as one request.`,
    'Results count once, at the rate of input. "cached": definitions that stay the same are read from the prompt cache.',
    ...(tokens.estimated ? ['Tokens of texts above 64 KiB are estimated, all others counted (o200k).'] : []),
    ...(damagedLines > 0 ? [`${counted(damagedLines, 'line')} of the log could not be read.`] : []),
  ]
    .map((note) => `  ${note}\n`)
    .join('')
}
