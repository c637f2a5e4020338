/** Lists of scopes as OAuth writes them: words with blanks between. */

/** Each word once, in order; undefined if there is none. */
export function joinScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const words = new Set(lists.flatMap((list) => list?.split(' ') ?? []).filter((word) => word !== ''))
  return words.size === 0 ? undefined : [...words].join(' ')
}
