import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../bench/corpus.js'
import { dataFolder } from '../../bench/tool-queries.js'
import { shownText } from '../../src/text/shown-text.js'
import { type Harness, openSession } from './session-harness.js'

const FOLDER = dataFolder()
const KINDS = ['words', 'quote', 'id'] as const
const NEEDLES = 60

interface Needle {
  readonly kind: (typeof KINDS)[number]
  readonly query: string
  readonly label: string
  /** Lines that hold it. */
  readonly lines: ReadonlySet<number>
}

describe.runIf(FOLDER !== undefined)('a needle in real responses', () => {
  it('is in the first three hits with its line, asked in words, in quotes or as an id', async () => {
    const session = await openSession()
    const texts = await ingestAll(session, join(FOLDER ?? '', 'responses'))
    const needles = needlesIn(texts, createRandom(7))
    const missed: Needle[] = []
    for (const needle of needles) {
      const { text } = await session.search(needle.query, '', 3)
      if (!linesShown(text, needle.label).some((line) => needle.lines.has(line))) missed.push(needle)
    }
    expect(needles).toHaveLength(NEEDLES)
    expect(missed.length, missed.map(({ kind, query, label }) => `${kind} ${label}: ${query}`).join('\n')).toBeLessThanOrEqual(
      3,
    )
  })
})

// --- internal ---

/** Shown lines by label. */
async function ingestAll(session: Harness, folder: string): Promise<Map<string, string[]>> {
  const texts = new Map<string, string[]>()
  for (const file of readdirSync(folder).filter((name) => !name.startsWith('image'))) {
    const content = readFileSync(join(folder, file), 'utf8')
    const isResult = file.endsWith('.mcp.json')
    const parts = isResult
      ? (JSON.parse(content) as { content: { text: string }[] }).content.map(({ text }) => text)
      : [content]
    await session.put(parts[0] ?? '', file)
    texts.set(file, shownText(parts[0] ?? '').text.split('\n'))
  }
  return texts
}

/** Needles of each kind in turn, of each file in turn, at random places: each stands on at most three lines of its file and in no other. */
function needlesIn(texts: ReadonlyMap<string, string[]>, random: () => number): Needle[] {
  const files = [...texts]
  const lower = new Map(files.map(([label, lines]) => [label, lines.map((line) => line.toLowerCase())]))
  const found: Needle[] = []
  for (let tries = 0; found.length < NEEDLES && tries < 5000; tries++) {
    const kind = KINDS[found.length % KINDS.length] ?? 'words'
    const [label, lines] = files[Math.floor(random() * files.length)] ?? ['', []]
    const line = lines[Math.floor(random() * lines.length)] ?? ''
    const query = MADE[kind](line, random)
    if (query === undefined) continue
    const pieces = (kind === 'words' ? query.split(' ') : [query.replaceAll('"', '')]).map((piece) => piece.toLowerCase())
    const places = [...lower].map(([name, all]) => ({
      name,
      at: all.flatMap((text, n) => (pieces.every((piece) => text.includes(piece)) ? [n + 1] : [])),
    }))
    const own = places.find(({ name }) => name === label)?.at ?? []
    if (
      own.length <= 3 &&
      !found.some(({ lines }) => own.some((at) => lines.has(at))) &&
      places.every(({ name, at }) => name === label || at.length === 0)
    ) {
      found.push({ kind, query, label, lines: new Set(own) })
    }
  }
  return found
}

const MADE: Readonly<Record<Needle['kind'], (line: string, random: () => number) => string | undefined>> = {
  words: (line, random) => {
    const words = [...new Set(line.slice(0, 4000).match(/(?<![\p{L}\p{N}_])\p{L}{4,20}(?![\p{L}\p{N}_])/gu) ?? [])]
    if (words.length < 4) return undefined
    return Array.from({ length: 4 }, () => words.splice(Math.floor(random() * words.length), 1)[0]).join(' ')
  },
  quote: (line, random) => {
    const words = line.trim().slice(0, 4000).split(/\s+/)
    const from = Math.floor(random() * words.length)
    const quote = words
      .slice(from, from + 4)
      .join(' ')
      .replaceAll('"', '')
      .slice(0, 60)
      .trim()
    return quote.length >= 12 && line.includes(quote) ? `"${quote}"` : undefined
  },
  id: (line, random) => {
    const ids = (line.slice(0, 4000).match(/[\w./:@-]{6,60}/g) ?? []).filter((id) => /\d/.test(id) && /[a-z./:_-]/i.test(id))
    return ids[Math.floor(random() * ids.length)]
  },
}

/** Numbers of the lines that the answer shows of a source. */
function linesShown(answer: string, label: string): number[] {
  const hits = answer.split(/^(?=\[1\.\d+\] )/m)
  return hits
    .filter((hit) => hit.slice(hit.indexOf(' ') + 1).startsWith(`${label} `))
    .flatMap((hit) => [...hit.matchAll(/^ *(\d+)(?:-\d+)?\t/gm)].map(([, line]) => Number(line)))
}
