/** What tools are worth by what was learned from use: which are listed first, and which go with those in use. */
import type { ToolRef, UsageScores } from '../protocol/usage-api.js'

/**
 * Alpha: what the expectation of a use counts beside a use. Half, since it is a guess from one step: all expectations that a
 * tool raises sum to half of its own uses at most, so what was really used decides, and of tools used alike those come first
 * that belong to a well-used chain.
 */
export const EXPECTED_USE = 0.5

/**
 * A tool's value in uses: value(t) = u(t) + alpha · sum over s of u(s) · P(t | s), where u is the score, P(t | s) the part of
 * what followed s that was t. 0 for a tool that was never used. The same scores give the same values, bit by bit.
 */
export function toolValues({ scores, pairs }: UsageScores): (tool: ToolRef) => number {
  const own = new Map(scores.map((tool) => [keyOf(tool), tool.score]))
  const expected = expectedUses(own, pairs)
  return (tool) => {
    const key = keyOf(tool)
    return (own.get(key) ?? 0) + (expected.get(key) ?? 0)
  }
}

/**
 * What the tools that a session uses add to the value of others: alpha · sum over s in `used` of P(t | s), as if each had been
 * used once more, now. To be added to {@link toolValues}, or compared by itself; naming a tool twice changes nothing.
 */
export function affinityWith(used: readonly ToolRef[], { pairs }: UsageScores): (tool: ToolRef) => number {
  const expected = expectedUses(new Map(used.map((tool) => [keyOf(tool), 1])), pairs)
  return (tool) => expected.get(keyOf(tool)) ?? 0
}

// --- internal ---

/** By tool: the uses to be expected after so many `uses` of others, times alpha. */
function expectedUses(uses: ReadonlyMap<string, number>, pairs: UsageScores['pairs']): Map<string, number> {
  const known = pairs.map(({ from, to, weight }) => ({ from: keyOf(from), to: keyOf(to), weight }))
  const followed = new Map<string, number>()
  for (const { from, weight } of known) followed.set(from, (followed.get(from) ?? 0) + weight)
  const expected = new Map<string, number>()
  for (const { from, to, weight } of known) {
    const before = uses.get(from) ?? 0
    const all = followed.get(from) ?? 0
    if (before > 0 && all > 0) expected.set(to, (expected.get(to) ?? 0) + (EXPECTED_USE * before * weight) / all)
  }
  return expected
}

function keyOf({ server, tool }: ToolRef): string {
  return JSON.stringify([server, tool])
}
