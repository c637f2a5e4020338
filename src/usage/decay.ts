/** How uses fade: each is worth half as much for every half-life of recorded time after it. */

/**
 * Two weeks, in milliseconds: a task's tools matter for days, a project's for weeks. After a month a use still counts a quarter,
 * so that an odd call of today does not outrank a tool that was called daily until then.
 */
export const HALF_LIFE_MS = 14 * 24 * 60 * 60 * 1000

/*
 * A tool's score is the sum over its uses of 2^((use - last) / HALF_LIFE), where `last` is the last recorded use of any tool: a
 * month of holiday fades nothing, since nothing else was used in it.
 *
 * What is kept of a tool is its *level*, the time at which one single use would be worth as much as all of its uses:
 * HALF_LIFE · log2(sum of 2^(use / HALF_LIFE)). A level does not depend on `last`, so a use changes the rows of its own tool
 * only, in whatever order uses arrive, and levels compare as scores do at all times. (Forward decay: Cormode, Shkapenyuk,
 * Srivastava, Xu, ICDE 2009; in logarithms, so that nothing overflows.) Doubles hold today's times to a quarter of a
 * microsecond, which is 1.5e-13 of a score.
 */

/** The level of so many uses at one time. */
export function levelOf(useMs: number, times: number): number {
  return useMs + HALF_LIFE_MS * Math.log2(times)
}

/** The level of all uses behind two levels. A single use's level is its own time, in milliseconds since 1970. */
export function jointLevel(one: number, other: number): number {
  const high = Math.max(one, other)
  const low = Math.min(one, other)
  return high + (HALF_LIFE_MS / Math.LN2) * Math.log1p(2 ** ((low - high) / HALF_LIFE_MS))
}

/** The score of a level when `lastUseMs` is the last recorded use: 1 for a single use at that time. */
export function scoreOf(level: number, lastUseMs: number): number {
  return 2 ** ((level - lastUseMs) / HALF_LIFE_MS)
}
