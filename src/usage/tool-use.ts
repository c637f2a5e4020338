/** The audit log by tools: how often each was called, and what its results cost. */
import type { AuditPlace, ToolUseReport, ToolUseSums } from '../protocol/audit-api.js'
import { readLines } from './audit-files.js'

/** Over the lines that are still kept. */
export function toolUse(place: AuditPlace): ToolUseReport {
  const tools = new Map<string, Sums>()
  let calls = 0
  for (const { kind, server, tool, receipt, sentTokens } of readLines(place, () => undefined)) {
    if (kind !== 'call' || server === null || tool === null) continue
    const key = JSON.stringify([server, tool])
    const sums = tools.get(key) ?? { server, tool, calls: 0, receipts: 0, passedTokens: 0 }
    tools.set(key, sums)
    calls++
    sums.calls++
    if (receipt) sums.receipts++
    else sums.passedTokens += sentTokens
  }
  return { calls, tools: [...tools.values()].sort((a, b) => b.calls - a.calls) }
}

// --- internal ---

type Sums = { -readonly [Key in keyof ToolUseSums]: ToolUseSums[Key] }
