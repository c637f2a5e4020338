/** MB/s into the index by kind of text, beside a plain external-content FTS5 table fed with the same text in the same run. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import { mixedText } from '../corpus.js'
import { median, round } from '../statistics.js'
import type { Row, TrialOptions } from '../trials.js'

const MEGABYTE = 1_000_000
const PIECE = 1_500
const DATA_KINDS = ['apache-access.log', 'mcp-schema.mdx', 'openapi-fabric.json', 'd3.min.js', 'chinese-poems.json']

export async function indexing({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const rounds = smoke ? 1 : 5
  const texts = [{ name: 'mixed (seeded)', text: mixedText((smoke ? 1 : 5) * MEGABYTE) }, ...(smoke ? [] : dataTexts())]
  const rows: Row[] = []
  for (const { name, text } of texts) {
    const ours: number[] = []
    const plain: number[] = []
    for (let i = 0; i < rounds; i++) {
      plain.push(plainTable(text))
      ours.push(await sessionIndex(text))
    }
    const megabytes = Buffer.byteLength(text) / MEGABYTE
    rows.push({
      text: name,
      MB: round(megabytes, 2),
      'plain FTS5 MB/s': round((megabytes / median(plain)) * 1000, 1),
      'Sluice MB/s': round((megabytes / median(ours)) * 1000, 1),
      'of plain': round(median(plain) / median(ours), 2),
    })
  }
  return rows
}

// --- internal ---

/** The files of SLUICE_DATA, where there is one. */
function dataTexts(): { name: string; text: string }[] {
  const folder = join(process.env['SLUICE_DATA'] ?? '../shared/data', 'responses')
  try {
    const files = readdirSync(folder)
    return DATA_KINDS.filter((file) => files.includes(file)).map((file) => ({
      name: file,
      text: readFileSync(join(folder, file), 'utf8'),
    }))
  } catch {
    return []
  }
}

function plainTable(text: string): number {
  const db = new Database('')
  db.exec(`create table t (id integer primary key, body text);
    create virtual table f using fts5(body, content=t, content_rowid=id, tokenize='porter unicode61')`)
  const row = db.prepare('insert into t (body) values (?)')
  const entry = db.prepare('insert into f (rowid, body) values (?, ?)')
  const start = performance.now()
  db.transaction(() => {
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = text.slice(at, at + PIECE)
      entry.run(row.run(piece).lastInsertRowid, piece)
    }
  })()
  const ms = performance.now() - start
  db.close()
  return ms
}

async function sessionIndex(text: string): Promise<number> {
  const api = createSessionApi()
  await api.open({
    session: 's',
    maxIndexBytes: 1 << 30,
    names: { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' },
    lostLabels: [],
  })
  const frame = new Uint8Array(
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })),
  )
  const start = performance.now()
  await api.ingest({ session: 's', frame, kind: 'tool', label: 't:1', thresholdBytes: 16_384, idJson: '1' })
  while ((await api.status({})).pending > 0) await new Promise((resolve) => setImmediate(resolve))
  const ms = performance.now() - start
  await api.close({ session: 's' })
  return ms
}
