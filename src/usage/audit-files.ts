/**
 * The files of the audit log, to which several processes append at once: `audit/000001.jsonl`, then `000002.jsonl`. Nothing is locked
 * and nothing renamed. Whole lines go to a file's end in one write each, and whoever finds the newest file full begins the next.
 */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { messageOf, SluiceError } from '../base/errors.js'
import { makeOwnFolder } from '../base/own-folder.js'
import type { AuditLimits, AuditLine, AuditPlace } from '../protocol/audit-api.js'
import { AuditSums, type KeptSums, parseSums } from './audit-sums.js'

/** Appends whole lines. AUDIT_FILE if they cannot be written. */
export function appendLines(place: AuditPlace, lines: string): void {
  if (lines === '') return
  const bytes = Buffer.from(lines)
  reporting(place, (folder) => {
    makeOwnFolder(folder)
    const { maxFileBytes, maxFiles } = limitsOf(place)
    const newest = numbersIn(folder, LINES).at(-1) ?? 0
    const size = newest === 0 ? 0 : sizeOf(fileOf(folder, newest, LINES))
    const isFull = newest === 0 || (size > 0 && size + bytes.length > maxFileBytes)
    append(fileOf(folder, isFull ? newest + 1 : newest, LINES), bytes)
    if (isFull) tidy(folder, maxFiles)
  })
}

/** The sums of all files there ever were. Those that no longer grow are read once. */
export function readSums(place: AuditPlace): AuditSums {
  return reporting(place, (folder) => {
    const all = new AuditSums()
    const numbers = new Set([...numbersIn(folder, SUMS), ...numbersIn(folder, LINES)])
    for (const number of [...numbers].sort((a, b) => a - b)) all.append(sumsOf(folder, number).sums)
    return all
  })
}

/** Every line that is still kept, oldest file first; `damaged` is told of each that is none. */
export function readLines(place: AuditPlace, damaged: () => void): AuditLine[] {
  return reporting(place, (folder) =>
    numbersIn(folder, LINES).flatMap((number) => {
      const file = opened(fileOf(folder, number, LINES))
      if (file === undefined) return []
      try {
        return [...linesOf(file, damaged)]
      } finally {
        closeSync(file)
      }
    }),
  )
}

// --- internal ---

const LIMITS: AuditLimits = { maxFileBytes: 32 * 1024 * 1024, maxFiles: 4 }
const LINES = 'jsonl'
const SUMS = 'sums'
const CHUNK_BYTES = 1 << 20

function limitsOf({ limits = LIMITS }: AuditPlace): AuditLimits {
  return limits
}

function fileOf(folder: string, number: number, kind: string): string {
  return join(folder, `${String(number).padStart(6, '0')}.${kind}`)
}

/** Of the files of a kind, ascending; none where there is no folder. */
function numbersIn(folder: string, kind: string): number[] {
  return namesIn(folder)
    .flatMap((name) => (/^\d{6,}\./.test(name) && name.slice(name.indexOf('.') + 1) === kind ? Number.parseInt(name, 10) : []))
    .sort((a, b) => a - b)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    return absent(error, [])
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/**
 * One write, which the system appends as a whole. Should it take only a part, as on a disk that is all but full, the line it has torn
 * is written again, behind a line break that makes the fragment a line of its own.
 */
function append(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'a', 0o600)
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) chmodSync(file, 0o600)
    let rest = bytes
    for (;;) {
      const written = writeSync(descriptor, rest)
      if (written === rest.length) return
      if (written === 0) throw new Error('nothing more can be written')
      const torn = rest.lastIndexOf(NEWLINE, written - 1) + 1
      rest = torn === written ? rest.subarray(torn) : Buffer.concat([Buffer.from('\n'), rest.subarray(torn)])
    }
  } finally {
    closeSync(descriptor)
  }
}

const NEWLINE = 0x0a

/** Sums up files that are full, and removes the oldest lines. Processes that do it at the same time do the same. */
function tidy(folder: string, maxFiles: number): void {
  const numbers = numbersIn(folder, LINES)
  for (const number of numbers.slice(0, -1)) keepSums(folder, number)
  for (const number of numbers.slice(0, -maxFiles)) rmSync(fileOf(folder, number, LINES), { force: true })
}

/** A file's sums, and its size when they were made. */
interface FileSums {
  readonly bytes: number
  readonly sums: KeptSums
}

/** What was kept, unless the file has grown since: a process may have found it newest before another began the next. */
function sumsOf(folder: string, number: number): FileSums {
  const kept = keptSums(folder, number)
  const file = opened(fileOf(folder, number, LINES))
  // Whoever removes it has kept its sums before.
  if (file === undefined) return kept ?? keptSums(folder, number) ?? { bytes: 0, sums: new AuditSums().kept() }
  try {
    const bytes = fstatSync(file).size
    if (kept && bytes <= kept.bytes) return kept
    const sums = new AuditSums()
    for (const line of linesOf(file, () => sums.addDamaged())) sums.add(line)
    return { bytes, sums: sums.kept() }
  } finally {
    closeSync(file)
  }
}

/** On their first line the file's size. */
function keptSums(folder: string, number: number): FileSums | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(folder, number, SUMS), 'utf8')
  } catch (error) {
    return absent(error, undefined)
  }
  const [bytes = '', json = ''] = text.split('\n', 2)
  const sums = parseSums(json)
  return sums && { bytes: Number(bytes), sums }
}

function keepSums(folder: string, number: number): void {
  const found = sumsOf(folder, number)
  if (found.bytes === 0 || keptSums(folder, number)?.bytes === found.bytes) return
  const file = fileOf(folder, number, SUMS)
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, `${found.bytes}\n${JSON.stringify(found.sums)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, file)
}

/** A last line without its line break is still being written. */
function* linesOf(file: number, damaged: () => void): Generator<AuditLine> {
  const decoder = new StringDecoder('utf8')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let rest = ''
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      const line = parseLine(text)
      if (line) yield line
      else damaged()
    }
  }
}

/** Undefined where there is none, or no more: another process may have removed it meanwhile. */
function opened(file: string): number | undefined {
  try {
    return openSync(file, 'r')
  } catch (error) {
    return absent(error, undefined)
  }
}

function parseLine(text: string): AuditLine | undefined {
  try {
    const line = JSON.parse(text) as AuditLine
    const isLine = typeof line.session === 'string' && typeof line.sentTokens === 'number' && !Number.isNaN(Date.parse(line.ts))
    return isLine ? line : undefined
  } catch {
    return undefined
  }
}

function absent<T>(error: unknown, otherwise: T): T {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  return otherwise
}

function reporting<T>({ dataDir }: AuditPlace, work: (folder: string) => T): T {
  const folder = join(dataDir, 'audit')
  try {
    return work(folder)
  } catch (thrown) {
    throw new SluiceError('AUDIT_FILE', `${folder}: ${messageOf(thrown)}`, { cause: thrown })
  }
}
