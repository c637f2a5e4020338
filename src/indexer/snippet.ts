/** The lines of a chunk that answer a query best. */
import type { SourceText, TextRow } from '../store/source-text.js'

const SNIPPET_CHARS = 3000

interface ChunkPlace {
  readonly startsAt: number
  readonly endsAt: number
  readonly firstLine: number
  readonly lastLine: number
}

/** All rows of the chunk. */
export function chunkRows(text: SourceText, { startsAt, endsAt, firstLine, lastLine }: ChunkPlace): TextRow[] {
  const rows: TextRow[] = []
  const lastPart = endsAt > startsAt ? text.partAt(lastLine, endsAt - 1) : 0
  for (const row of text.rows(firstLine, text.partAt(firstLine, startsAt))) {
    if (row.line > lastLine || (row.line === lastLine && row.part > lastPart) || rows.length >= MAX_ROWS) break
    rows.push(row)
  }
  return rows
}

/** Rows of the chunk up to about 3,000 characters: all of it, or the run of rows that holds most of the words. */
export function snippetRows(text: SourceText, chunk: ChunkPlace, words: readonly string[]): TextRow[] {
  const rows = chunkRows(text, chunk)
  const total = rows.reduce((sum, row) => sum + row.text.length, 0)
  return total <= SNIPPET_CHARS ? rows : bestRun(rows, words)
}

// --- internal ---

/** More rows than this are not looked at; a chunk has fewer. */
const MAX_ROWS = 2000

/** The run of neighbouring rows within the size whose rows hold most words, each row counted by its distinct ones. */
function bestRun(rows: readonly TextRow[], words: readonly string[]): TextRow[] {
  const stems = words.map(stemOf)
  const scores = rows.map(({ text }) => {
    const lower = text.toLowerCase()
    return stems.filter((stem) => lower.includes(stem)).length
  })
  let best = { from: 0, to: 1, score: -1 }
  let score = 0
  let chars = 0
  for (let from = 0, to = 0; to < rows.length; to++) {
    score += scores[to] ?? 0
    chars += rows[to]?.text.length ?? 0
    while (chars > SNIPPET_CHARS && from < to) {
      score -= scores[from] ?? 0
      chars -= rows[from]?.text.length ?? 0
      from++
    }
    if (score > best.score || (score === best.score && from === best.from)) best = { from, to: to + 1, score }
  }
  return rows.slice(best.from, best.to)
}

/** What the forms of an English word have in common; near enough to choose lines by. */
function stemOf(word: string): string {
  return word.length > 5 ? word.replace(/(?:ing|ed|es|s|e|ly)$/, '') : word
}
