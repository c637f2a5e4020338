/** What a lean client keeps of an answer: its size and its head; all of it is parsed only where it is asked for. */

export interface RawAnswer {
  readonly bytes: number
  /** Its first 4 KiB. */
  readonly text: string
  /** All of it, as an object. */
  parse(): unknown
}

/** What trials ask, over whatever transport. */
export interface BenchClient {
  request(method: string, params: object): Promise<RawAnswer>
  call(name: string, args: object): Promise<RawAnswer>
}

export function rawAnswer(bytes: Buffer): RawAnswer {
  const text = bytes.toString('utf8', 0, Math.min(bytes.length, HEAD_BYTES))
  return { bytes: bytes.length, text, parse: () => JSON.parse(bytes.toString('utf8')) as unknown }
}

/** The first text block of a tool's result. */
export function resultText(answer: RawAnswer): string {
  const { result } = answer.parse() as { result?: { content?: readonly { text?: string }[] } }
  return result?.content?.[0]?.text ?? ''
}

// --- internal ---

const HEAD_BYTES = 4096
