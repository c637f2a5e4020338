/** Random access to a stored text by offset, line and row, a page at a time. */
import { safeCut } from '../base/utf8.js'
import type { PageRow, SourceRow, Statements } from './sql.js'
import { decodeText, encodeText } from './text-blob.js'

/** Code units a page. Pages are of one size, so that an offset gives its page; line starts in them fit 16 bits. */
const PAGE_CHARS = 65_536

/** Lines above this many code units are read in parts. */
export const PART_CHARS = 2000

const CACHED_PAGES = 4

/** One line, or one part of a long line. */
export interface TextRow {
  readonly line: number
  /** From 1; 0 for a line that is shown whole. */
  readonly part: number
  readonly text: string
  /** Whether the line ends with this row. */
  readonly endsLine: boolean
}

interface Page {
  readonly no: number
  readonly linesBefore: number
  readonly lineStarts: Buffer
  readonly text: string
}

/** What writing needs of a text's lines, counted from 1. */
export interface LineStarts {
  readonly count: number
  start(line: number): number
}

export function writePages(sql: Statements, source: number, text: string, lines: LineStarts): void {
  let line = 1
  for (let no = 0, from = 0; from < text.length; no++, from += PAGE_CHARS) {
    const first = line
    const end = from + PAGE_CHARS
    while (line <= lines.count && lines.start(line) < end) line++
    const starts = Buffer.alloc((line - first) * 2)
    for (let n = first; n < line; n++) starts.writeUInt16LE(lines.start(n) - from, (n - first) * 2)
    const { narrow, body } = encodeText(text.slice(from, end))
    sql.addPage.run(source, no, first - 1, starts, narrow, body)
  }
}

export class SourceText {
  readonly #sql: Statements
  readonly #source: SourceRow
  #pages: Page[] = []

  constructor(sql: Statements, source: SourceRow) {
    this.#sql = sql
    this.#source = source
  }

  get lines(): number {
    return this.#source.lines
  }

  slice(start: number, end: number): string {
    let text = ''
    for (let at = start; at < end; ) {
      const no = Math.floor(at / PAGE_CHARS)
      const from = no * PAGE_CHARS
      const page = this.#pageAt(no)
      if (!page) break
      text += page.text.slice(at - from, end - from)
      at = from + PAGE_CHARS
    }
    return text
  }

  /** The whole text, a page at a time; pages that are not open are not kept. */
  *pages(): Generator<string> {
    for (let no = 0; ; no++) {
      const open = this.#pages.find((page) => page.no === no)
      const row = open ? undefined : this.#sql.page.get(this.#source.id, no)
      if (!open && !row) return
      yield open ? open.text : row ? decodeText(row) : ''
    }
  }

  /** Offsets of a line from 1 to {@link lines}, without its line break. */
  line(n: number): { start: number; end: number } {
    return { start: this.#lineStart(n), end: n < this.lines ? this.#lineStart(n + 1) - 1 : this.#source.textEnd }
  }

  /** How many parts a line is read in; 1 for a short one. */
  partsOf(line: number): number {
    const { start, end } = this.line(line)
    return Math.max(1, Math.ceil((end - start) / PART_CHARS))
  }

  /** The part of a line that holds an offset; 0 when the line is shown whole. */
  partAt(line: number, offset: number): number {
    const { start, end } = this.line(line)
    if (end - start <= PART_CHARS) return 0
    const part = Math.max(0, Math.min(Math.floor((offset - start) / PART_CHARS), Math.ceil((end - start) / PART_CHARS) - 1))
    return this.#cut(start, end, part + 1) <= offset && offset < end ? part + 2 : part + 1
  }

  /** Rows from a line (and one of its parts) on, to the end of the text. */
  *rows(fromLine: number, fromPart = 0): Generator<TextRow> {
    let part = Math.max(1, fromPart)
    for (let n = fromLine; n <= this.lines; n++, part = 1) {
      const { start, end } = this.line(n)
      if (end - start <= PART_CHARS) {
        yield { line: n, part: 0, text: this.slice(start, end), endsLine: true }
        continue
      }
      const parts = Math.ceil((end - start) / PART_CHARS)
      for (; part <= parts; part++) {
        const text = this.slice(this.#cut(start, end, part - 1), this.#cut(start, end, part))
        yield { line: n, part, text, endsLine: part === parts }
      }
    }
  }

  /** Where part `k` of a line ends and the next one starts. It depends on the line alone, wherever it is asked from. */
  #cut(start: number, end: number, k: number): number {
    const at = start + k * PART_CHARS
    if (k <= 0) return start
    if (at >= end) return end
    const from = at - PART_CHARS
    return from + safeCut(this.slice(from, Math.min(end, at + 16)), PART_CHARS)
  }

  #lineStart(n: number): number {
    const page =
      this.#pages.find((p) => p.linesBefore < n && n <= p.linesBefore + p.lineStarts.length / 2) ?? this.#pageOfLine(n)
    return page ? page.no * PAGE_CHARS + page.lineStarts.readUInt16LE((n - page.linesBefore - 1) * 2) : this.#source.textEnd
  }

  #pageAt(no: number): Page | undefined {
    return this.#pages.find((page) => page.no === no) ?? this.#keep(this.#sql.page.get(this.#source.id, no))
  }

  #pageOfLine(n: number): Page | undefined {
    return this.#keep(this.#sql.pageOfLine.get(this.#source.id, n))
  }

  #keep(row: PageRow | undefined): Page | undefined {
    if (!row) return undefined
    const page = { no: row.no, linesBefore: row.linesBefore, lineStarts: row.lineStarts, text: decodeText(row) }
    this.#pages = [page, ...this.#pages.filter((p) => p.no !== page.no)].slice(0, CACHED_PAGES)
    return page
  }
}
