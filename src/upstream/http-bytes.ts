/** Joins byte chunks into a buffer that belongs to nobody else. */

/** The first `maxBytes` bytes of `parts`, one after another, in an ArrayBuffer of their own. */
export function joinBytes(parts: readonly Uint8Array[], maxBytes = Number.POSITIVE_INFINITY): Uint8Array {
  const total = parts.reduce((sum, part) => sum + part.length, 0)
  const joined = new Uint8Array(Math.min(total, maxBytes))
  let at = 0
  for (const part of parts) {
    const piece = part.subarray(0, joined.length - at)
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
