/**
 * Text as SQLite blobs, exact to the code unit. SQLite's own TEXT is UTF-8 that ends at NUL and turns a lone surrogate into
 * another character; a blob of Latin-1, or of UTF-16 where that is not enough, keeps both and decodes faster.
 */

export interface TextBlob {
  /** 1: one byte a code unit (Latin-1), 0: two (UTF-16LE). A number, as SQLite has no booleans. */
  readonly narrow: number
  readonly body: Buffer
}

const WIDE = /[\u0100-\uffff]/

export function encodeText(text: string): TextBlob {
  const narrow = !WIDE.test(text)
  return { narrow: Number(narrow), body: Buffer.from(text, narrow ? 'latin1' : 'utf16le') }
}

export function decodeText(blob: TextBlob): string {
  return blob.body.toString(blob.narrow ? 'latin1' : 'utf16le')
}
