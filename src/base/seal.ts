/** Texts sealed with a key and their name: what was not written so, by who has the key and under this name, is none. */
import { createHmac } from 'node:crypto'

export interface SealAs {
  readonly name: string
  /** Of what the content looks like: what was sealed as another one is none. */
  readonly version: number
}

/** 64 hexadecimal digits that tell nobody anything who has not the key. */
export function keyedDigest(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

export interface Sealed {
  /** Other digits for every name and content. */
  readonly seal: string
  /** What is sealed: JSON text (UTF-8). */
  readonly content: Buffer
}

export function seal(key: Uint8Array, { name, version }: SealAs, content: Buffer): Sealed & { readonly bytes: Buffer } {
  const digits = keyedDigest(key, name, '\n', content)
  return { seal: digits, content, bytes: Buffer.concat([Buffer.from(headOf(version, digits)), content, Buffer.from(END)]) }
}

/** What gave {@link seal}'s `bytes`, its content a view of them; undefined if a single bit is another. */
export function unseal(key: Uint8Array, { name, version }: SealAs, bytes: Buffer): Sealed | undefined {
  const length = headOf(version, '0'.repeat(64)).length
  const content = bytes.subarray(length, -1)
  const digits = keyedDigest(key, name, '\n', content)
  const isWhole = bytes.toString('latin1', 0, length) === headOf(version, digits) && bytes.at(-1) === END.charCodeAt(0)
  return isWhole ? { seal: digits, content } : undefined
}

// --- internal ---

const END = '}'

function headOf(version: number, digits: string): string {
  return `{"version":${version},"seal":"${digits}","content":`
}
