/** Moving an answer's bytes to the other thread instead of copying them. */

export interface HandOver {
  /** What is sent. */
  readonly value: unknown
  /** The buffers in it that move; on this side they are empty afterwards. */
  readonly buffers: ArrayBuffer[]
}

/**
 * Every `Uint8Array` directly in `answer` moves with its buffer. One that shares its buffer with others is cut out first, since
 * cloning a view copies all of the buffer behind it: a few bytes of a large frame would drag the frame along. Shared memory
 * goes as it is: posting it copies nothing, and it cannot move.
 */
export function handOver(answer: unknown): HandOver {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || ArrayBuffer.isView(answer)) {
    return { value: answer, buffers: [] }
  }
  const buffers = new Set<ArrayBuffer>()
  const value: Record<string, unknown> = { ...answer }
  for (const [key, member] of Object.entries(answer)) {
    if (!(member instanceof Uint8Array) || member.buffer instanceof SharedArrayBuffer) continue
    const owned = ownsBuffer(member) ? member : new Uint8Array(member)
    value[key] = owned
    buffers.add(owned.buffer as ArrayBuffer)
  }
  return { value, buffers: [...buffers] }
}

// --- internal ---

function ownsBuffer(bytes: Uint8Array): boolean {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
}
