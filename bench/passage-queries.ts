/** The labelled passages of the data folder, indexed as responses and asked for as a session asks. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHits, type HitScope } from '../src/indexer/find-hits.js'
import { SessionVectors } from '../src/indexer/session-vectors.js'
import { layOutSource } from '../src/indexer/source-layout.js'
import type { VectorFacts } from '../src/protocol/vector-api.js'
import { SessionStore } from '../src/store/session-store.js'
import { LineIndex } from '../src/text/line-index.js'
import { jsonLines } from './json-lines.js'
import { type Measured, measured, type Quality, qualityOf } from './retrieval-quality.js'

export const PASSAGE_SETS: readonly string[] = [
  'cranfield',
  'code-contextual-retrieval',
  'chunking-eval',
  'xquad-zh',
  'xquad-en',
]

/** `each`: a response for every passage; `document`: one Markdown response with a section for every passage; `json`: one array. */
export type Shape = keyof typeof SHAPES

interface PassageSearchOptions {
  readonly shape?: Shape
  /** Take every n-th query. */
  readonly every?: number
  /** Search by meaning, too. */
  readonly vector?: VectorFacts
}

/** Undefined where the set is absent. */
export async function measurePassageSearch(
  folder: string,
  set: string,
  { shape = 'each', every = 1, vector }: PassageSearchOptions = {},
): Promise<Measured | undefined> {
  const at = join(folder, 'passages', set)
  if (!existsSync(at)) return undefined
  const gains = gainsIn(join(at, 'qrels.tsv'))
  const queries = jsonLines<{ id: string; text: string }>(join(at, 'queries.jsonl')).filter(({ id }) => gains.has(id))
  const store = new SessionStore(2 ** 28)
  const passageAt = SHAPES[shape](store, jsonLines<Passage>(join(at, 'docs.jsonl')))
  const vectors = vector && (await embedded(store, vector))
  const qualities: Quality[] = []
  for (const { id, text } of queries.filter((_, n) => n % every === 0)) {
    const meanings = await vectors?.meaningsOf([text])
    const found = findHits(store, text, { ...EVERYWHERE, meanings }).hits.flatMap(passageAt)
    qualities.push(qualityOf([...new Set(found)], gains.get(id) ?? new Map()))
  }
  await vectors?.close()
  store.close()
  return measured(qualities)
}

// --- internal ---

const EVERYWHERE: HitScope = {
  isWithin: () => true,
  responses: undefined,
  limit: 20,
  preferred: [],
  callTool: undefined,
  searchesCatalog: false,
}

interface Passage {
  readonly id: string
  readonly title: string
  readonly text: string
}

interface Place {
  readonly label: string
  readonly firstLine: number
  readonly lastLine: number
}

/** Puts passages into a store, and tells which ones stand where a hit is. */
type Put = (store: SessionStore, passages: readonly Passage[]) => (place: Place) => string[]

const SHAPES = {
  each: (store, passages) => {
    passages.forEach((passage, n) => {
      index(store, `passage:${n}`, textOf(passage))
    })
    return ({ label }) => [passages[Number(label.slice('passage:'.length))]?.id ?? '']
  },
  document: (store, passages) => {
    const sections = passages.map((passage, n) => `## ${passage.title || `Passage ${n + 1}`}\n\n${passage.text}\n\n`)
    const starts = offsetsOf(sections)
    const text = sections.join('')
    index(store, 'document:1', text)
    const lines = new LineIndex(text)
    return inLines(
      passages,
      starts.map((start) => lines.lineAt(start)),
    )
  },
  json: (store, passages) => {
    const pieces = passages.map(({ id, title, text }) => JSON.stringify({ id, ...(title && { title }), text }, null, 2))
    index(store, 'json:1', `[\n${pieces.join(',\n')}\n]\n`)
    let line = 2
    const firsts = pieces.map((piece) => {
      const first = line
      line += piece.split('\n').length
      return first
    })
    return inLines(passages, firsts)
  },
} satisfies Record<string, Put>

/** The title in front, unless the text opens with it. */
function textOf({ title, text }: Passage): string {
  const isInText = text.replace(/\s+/g, '').startsWith(title.replace(/\s+/g, ''))
  return isInText ? text : `${title}\n\n${text}`
}

function index(store: SessionStore, label: string, text: string): void {
  const { lines, parts, chunks, ...layout } = layOutSource([{ text }])
  const { id } = store.put({ label, bytes: layout.heldBytes, text: layout.text, lines, parts })
  store.addChunks(id, 0, chunks())
  store.setState(id, 'searchable')
}

async function embedded(store: SessionStore, facts: VectorFacts): Promise<SessionVectors> {
  const onFault = (error: unknown) => {
    throw error
  }
  const vectors = new SessionVectors({ facts, store, isIndexing: () => false, onFault })
  for (const { id } of store.responses('')) vectors.addSource(id)
  while (vectors.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  return vectors
}

function offsetsOf(pieces: readonly string[]): number[] {
  let at = 0
  return pieces.map((piece) => {
    const start = at
    at += piece.length
    return start
  })
}

/** Passages that a hit shares lines with, the one with most of them first. */
function inLines(passages: readonly Passage[], firsts: readonly number[]) {
  return ({ firstLine, lastLine }: Place): string[] => {
    const shared = (n: number) => Math.min(lastLine, (firsts[n + 1] ?? Infinity) - 1) - Math.max(firstLine, firsts[n] ?? 0)
    return passages
      .flatMap(({ id }, n) => (shared(n) >= 0 ? [{ id, lines: shared(n) }] : []))
      .sort((a, b) => b.lines - a.lines)
      .map(({ id }) => id)
  }
}

/** Relevant or not: the grades of the sets do not compare. */
function gainsIn(file: string): Map<string, Map<string, number>> {
  const gains = new Map<string, Map<string, number>>()
  for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
    const [query = '', doc = '', score] = line.trim().split('\t')
    if (score !== undefined)
      gains.set(query, (gains.get(query) ?? new Map<string, number>()).set(doc, Number(score) > 0 ? 1 : 0))
  }
  return gains
}
