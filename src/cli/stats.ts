/** `sluice stats`: what all sessions on this machine have called, what was kept out of their context, and what that cost. */
import { createComputePool } from '../actor/compute-pool.js'
import type { StatsReport } from '../protocol/audit-api.js'
import { bar, counted, grouped, minute, renderColumns } from './columns.js'

export interface ReportOptions {
  readonly dataDir: string
  readonly json: boolean
  readonly write: (text: string) => void
}

/** The exit code: 1 where lines of the log could not be read. Rejects with AUDIT_FILE. */
export async function stats({ dataDir, json, write }: ReportOptions): Promise<number> {
  const pool = createComputePool({ maxThreads: 1 })
  try {
    const report = await pool.run('readStats', { dataDir })
    write(json ? `${JSON.stringify(report, null, 2)}\n` : renderStats(report))
    return report.damagedLines > 0 ? 1 : 0
  } finally {
    await pool.close()
  }
}

export function renderStats(report: StatsReport): string {
  const { since, until, tokens } = report
  if (since === null || until === null) return 'Nothing is recorded yet.\n'
  const counts = [
    `${counted(report.calls, 'call')} (${counted(report.errors, 'error')})`,
    counted(report.searches, 'search'),
    counted(report.reads, 'read'),
  ].join(', ')
  return [
    `${counts} in ${counted(report.sessions, 'session')}, ${minute(since)} to ${minute(until)} UTC\n`,
    renderColumns(['Tokens', '', ''], tokenRows(report)),
    ...(report.servers.length > 0 ? [serverTable(report)] : []),
    notes(report, tokens.definitions),
  ].join('\n')
}

// --- internal ---

function tokenRows({ tokens }: StatsReport): string[][] {
  const { keptOut, definitions, listed, receipts, searches, reads, net } = tokens
  const max = Math.max(keptOut, definitions, net)
  const saved = (what: string, value: number) => [what, grouped(value), bar(value, max)]
  const spent = (what: string, value: number) => [what, grouped(-value), bar(value, max)]
  return [
    saved('responses kept out', keptOut),
    spent('receipts in their place', receipts),
    spent('searches', searches),
    spent('reads', reads),
    saved('definitions of the servers', definitions),
    spent('definitions listed', listed),
    saved('net', net),
  ]
}

function serverTable({ servers }: StatsReport): string {
  const max = Math.max(...servers.map(({ tokens }) => tokens.net))
  const rows = servers.map(({ server, calls, errors, tokens }) => [
    server,
    grouped(calls),
    grouped(errors),
    grouped(tokens.keptOut),
    grouped(tokens.receipts),
    grouped(tokens.net),
    bar(tokens.net, max),
  ])
  return renderColumns(['Server', 'calls', 'errors', 'kept out', 'receipts', 'net', ''], rows)
}

function notes({ tokensEstimated, damagedLines }: StatsReport, definitions: number): string {
  return [
    ...(definitions > 0 ? ['Definitions count once a session, though every request has them.'] : []),
    ...(tokensEstimated ? ['Tokens of texts above 64 KiB are estimated, all others counted (o200k).'] : []),
    ...(damagedLines > 0 ? [`${counted(damagedLines, 'line')} of the log could not be read.`] : []),
  ]
    .map((note) => `  ${note}\n`)
    .join('')
}
