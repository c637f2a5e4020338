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
  const expected = expectedUses(own, followersOf(pairs))
  return (tool) => {
    const key = keyOf(tool)
    return (own.get(key) ?? 0) + (expected.get(key) ?? 0)
  }
}

/**
 * What the tools that a session uses add to the value of others: alpha · sum over s in `used` of P(t | s), as if each had been
 * used once more, now. To be added to {@link toolValues}, or compared by itself; naming a tool twice changes nothing.
 */
export function createAffinity(scores: UsageScores): (used: readonly ToolRef[]) => Affinity {
  const followers = followersOf(scores.pairs)
  return (used) => {
    const expected = expectedUses(new Map(used.map((tool) => [keyOf(tool), 1])), followers)
    return { valueOf: (tool) => expected.get(keyOf(tool)) ?? 0, isEmpty: expected.size === 0 }
  }
}

export interface Affinity {
  valueOf(tool: ToolRef): number
  /** Nothing goes with what is used. */
  readonly isEmpty: boolean
}

// --- internal ---

/** What came next, and how often of all the times that something did. */
type Followers = ReadonlyMap<string, readonly { readonly to: string; readonly share: number }[]>

function followersOf(pairs: UsageScores['pairs']): Followers {
  const byTool = new Map<string, { to: string; weight: number }[]>()
  for (const { from, to, weight } of pairs) {
    const key = keyOf(from)
    const known = byTool.get(key)
    if (known) known.push({ to: keyOf(to), weight })
    else byTool.set(key, [{ to: keyOf(to), weight }])
  }
  return new Map([...byTool].map(([from, next]) => [from, shared(next)]))
}

function shared(next: readonly { to: string; weight: number }[]): { to: string; share: number }[] {
  const all = next.reduce((sum, { weight }) => sum + weight, 0)
  return all > 0 ? next.map(({ to, weight }) => ({ to, share: weight / all })) : []
}

/** By tool: the uses to be expected after so many `uses` of others, times alpha. */
function expectedUses(uses: ReadonlyMap<string, number>, followers: Followers): Map<string, number> {
  const expected = new Map<string, number>()
  for (const [from, before] of uses) {
    for (const { to, share } of followers.get(from) ?? []) {
      expected.set(to, (expected.get(to) ?? 0) + EXPECTED_USE * before * share)
    }
  }
  return expected
}

function keyOf({ server, tool }: ToolRef): string {
  return JSON.stringify([server, tool])
}
