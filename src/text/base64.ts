/** Recognises text that is data: a data URI, or one long run of base64. */

export interface Base64Kind {
  /** What the data URI says or the first bytes tell; undefined when neither does. */
  readonly mimeType: string | undefined
  /** Size of the decoded data. */
  readonly bytes: number
}

/**
 * The kind of the data when the whole text, but for white space around it, is a base64 data URI or base64 (also URL-safe, in lines of
 * equal length, or in PEM armour) of at least 512 characters; else undefined. A run that could as well be words, hex or DNA is data
 * only if its first bytes say so.
 */
export function base64Kind(text: string): Base64Kind | undefined {
  const from = text.search(/\S/)
  if (from < 0) return undefined
  const uri = URI.exec(text.slice(from, from + MAX_HEADER))
  if (uri) {
    const run = runOf(text.slice(from + uri[0].length).trimEnd())
    return run && { mimeType: uri[1]?.toLowerCase() || magicType(run.head), bytes: run.bytes }
  }
  const armour = PEM_BEGIN.exec(text.slice(from, from + MAX_HEADER))
  const body = armour ? pemBody(text.slice(from + armour[0].length)) : text.slice(from).trimEnd()
  if (body === undefined || body.length < MIN_RUN) return undefined
  const run = runOf(body)
  if (!run) return undefined
  const mimeType = magicType(run.head)
  if (armour) return { mimeType: 'application/x-pem-file', bytes: run.bytes }
  return mimeType !== undefined || isMixed(body) ? { mimeType: mimeType ?? textType(run.head), bytes: run.bytes } : undefined
}

// --- internal ---

const MIN_RUN = 512
const MAX_HEADER = 300
const URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,/i
const PEM_BEGIN = /^-----BEGIN [A-Z0-9 ]+-----\r?\n/
const PEM_END = /\r?\n-----END [A-Z0-9 ]+-----\s*$/
const NOT_STANDARD = /[^A-Za-z0-9+/]/g
const NOT_URL_SAFE = /[^A-Za-z0-9_-]/g
const MIN_LINE = 48
/** Base64 characters that are decoded to look at the first bytes: 48 bytes. */
const HEAD = 64
const SAMPLE = 16_384
const MIN_SAMPLE = 64
const ZEROS = /A{8,}/g

interface Run {
  readonly head: Buffer
  readonly bytes: number
}

function pemBody(text: string): string | undefined {
  const end = PEM_END.exec(text.slice(-MAX_HEADER))
  return end ? text.slice(0, text.length - end[0].length) : undefined
}

/** The text as one run of base64 of one alphabet, in one line or in lines of equal length. */
function runOf(text: string): Run | undefined {
  const padding = /={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0
  const chars = isRun(text, text.length - padding) ?? wrappedLength(text, padding)
  if (chars === undefined || chars % 4 === 1 || (padding > 0 && (chars + padding) % 4 !== 0)) return undefined
  return { head: Buffer.from(text.slice(0, HEAD), 'base64'), bytes: Math.floor((chars * 3) / 4) }
}

/** `length` when all the characters before it are of one alphabet. */
function isRun(text: string, length: number): number | undefined {
  return firstMatch(NOT_STANDARD, text, 0) >= length || firstMatch(NOT_URL_SAFE, text, 0) >= length ? length : undefined
}

/** The number of base64 characters in lines of equal length, the last one shorter or equal. */
function wrappedLength(text: string, padding: number): number | undefined {
  const width = text.indexOf('\n')
  const lineBreak = text.charAt(width - 1) === '\r' ? 2 : 1
  const perLine = width + 1 - lineBreak
  if (width < 0 || perLine < MIN_LINE || perLine % 4 !== 0) return undefined
  let chars = 0
  let at = 0
  while (at + perLine < text.length) {
    if (firstMatch(NOT_STANDARD, text, at) !== at + perLine || text.charAt(at + perLine + lineBreak - 1) !== '\n')
      return undefined
    chars += perLine
    at += perLine + lineBreak
  }
  const rest = text.length - padding - at
  return rest >= 0 && firstMatch(NOT_STANDARD, text, at) >= at + rest ? chars + rest : undefined
}

function firstMatch(pattern: RegExp, text: string, from: number): number {
  const search = new RegExp(pattern)
  search.lastIndex = from
  return search.test(text) ? search.lastIndex - 1 : text.length
}

/** Whether upper case, lower case, digits and marks come in about the shares that base64 of any data has. */
function isMixed(body: string): boolean {
  // Runs of zero bytes say nothing of the rest; very many of them and nothing else are data too.
  const sample = sampleOf(body).replace(ZEROS, '')
  if (sample.length < MIN_SAMPLE) return body.length >= SAMPLE
  const share = (pattern: RegExp) => (sample.match(pattern)?.length ?? 0) / sample.length
  return (
    share(/[A-Z]/g) > 0.15 &&
    share(/[a-z]/g) > 0.15 &&
    share(/\d/g) > 0.03 &&
    share(/[-+/_]/g) < 0.12 &&
    new Set(sample).size > 24
  )
}

/** The head, the middle and the end. */
function sampleOf(body: string): string {
  if (body.length <= SAMPLE) return body
  const third = Math.floor(SAMPLE / 3)
  const middle = Math.floor((body.length - third) / 2)
  return body.slice(0, third) + body.slice(middle, middle + third) + body.slice(-third)
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['424d', 'image/bmp'],
  ['7f454c46', 'application/x-executable'],
  ['49492a00', 'image/tiff'],
  ['4d4d002a', 'image/tiff'],
  ['00000100', 'image/x-icon'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['504b0506', 'application/zip'],
  ['1f8b08', 'application/gzip'],
  ['425a68', 'application/x-bzip2'],
  ['fd377a585a00', 'application/x-xz'],
  ['28b52ffd', 'application/zstd'],
  ['377abcaf271c', 'application/x-7z-compressed'],
  ['494433', 'audio/mpeg'],
  ['fffb', 'audio/mpeg'],
  ['fff3', 'audio/mpeg'],
  ['664c6143', 'audio/flac'],
  ['4f676753', 'audio/ogg'],
  ['1a45dfa3', 'video/webm'],
  ['0061736d', 'application/wasm'],
  ['53514c69746520666f726d6174203300', 'application/vnd.sqlite3'],
  ['774f4646', 'font/woff'],
  ['774f4632', 'font/woff2'],
]

function magicType(head: Buffer): string | undefined {
  const hex = head.toString('hex')
  const ascii = head.toString('latin1')
  if (ascii.startsWith('RIFF')) return RIFF.get(ascii.slice(8, 12))
  if (ascii.slice(4, 8) === 'ftyp')
    return ascii.startsWith('M4A', 8) ? 'audio/mp4' : ascii.startsWith('avif', 8) ? 'image/avif' : 'video/mp4'
  return MAGIC.find(([magic]) => hex.startsWith(magic))?.[1]
}

const RIFF = new Map([
  ['WAVE', 'audio/wav'],
  ['WEBP', 'image/webp'],
  ['AVI ', 'video/x-msvideo'],
])

function textType(head: Buffer): string | undefined {
  const text = head.toString('latin1')
  if (!/^[\t\n\r\x20-\x7e]+$/.test(text)) return undefined
  if (/^\s*</.test(text)) return /^\s*(?:<\?xml[^>]*>\s*)?<svg/.test(text) ? 'image/svg+xml' : 'text/xml'
  return /^\s*[{[]/.test(text) ? 'application/json' : 'text/plain'
}
