/** The tables of a session's database and every statement on them, prepared once. */
import type { Database } from 'better-sqlite3'

/** What became of a source. Text is there for the first three; the other two are tombstones that say why it is not. */
export type SourceState = 'pending' | 'searchable' | 'failed' | 'dropped' | 'lost'

export interface SourceRow {
  readonly id: number
  readonly label: string
  readonly state: SourceState
  /** UTF-8 bytes that count against the limit. */
  readonly bytes: number
  readonly lines: number
  /** Offset of the end of the last line, without its line break. */
  readonly textEnd: number
  /** The alias of the server whose catalog it is of; null: a response. */
  readonly catalog: string | null
}

/** What a session's database holds of responses; tombstones and the catalog do not count. */
export interface Totals {
  readonly sources: number
  /** UTF-8 bytes of text. */
  readonly textBytes: number
  /** Sources that are not all searchable yet. */
  readonly pending: number
}

export interface PartRow {
  readonly startsAt: number
  readonly endsAt: number
  readonly mimeType: string
  readonly uri: string | null
  /** What the upstream sent, where the shown text differs. */
  readonly original: Buffer | null
  readonly narrow: number
}

export interface PageRow {
  readonly no: number
  /** Lines that start before this page. */
  readonly linesBefore: number
  /** Where lines start in this page: 16-bit little-endian offsets from its beginning. */
  readonly lineStarts: Buffer
  readonly narrow: number
  readonly body: Buffer
}

export interface ChunkRow {
  readonly id: number
  readonly label: string
  readonly source: number
  readonly startsAt: number
  readonly endsAt: number
  readonly firstLine: number
  readonly lastLine: number
  readonly title: string
}

export interface RankedChunkRow extends ChunkRow {
  /** BM25 as SQLite has it: the lower, the better. */
  readonly rank: number
}

/** Chunk ids are `source * CHUNKS_PER_SOURCE + n`, so that a source's chunks are one range of row ids. */
export const CHUNKS_PER_SOURCE = 2 ** 24

/** Marks belong to their words: without them Hindi falls into single letters. */
export const TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

/** BM25 weights of body, title and words. The body stands first: terms of a first column are stored without a column mark. */
const WEIGHTS = '1.0, 1.0, 0.6'

/** Every slice is a segment: merging them 16 at a time instead of 4 indexes a seventh faster, and in small steps still. */
const SCHEMA = `
  CREATE TABLE source (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
    bytes INTEGER NOT NULL, lines INTEGER NOT NULL, textEnd INTEGER NOT NULL, catalog TEXT
  );
  CREATE TABLE part (
    source INTEGER NOT NULL, no INTEGER NOT NULL, startsAt INTEGER NOT NULL, endsAt INTEGER NOT NULL,
    mimeType TEXT NOT NULL, uri TEXT, narrow INTEGER NOT NULL, original BLOB, PRIMARY KEY (source, no)
  );
  CREATE TABLE page (
    source INTEGER NOT NULL, no INTEGER NOT NULL, linesBefore INTEGER NOT NULL, lineStarts BLOB NOT NULL,
    narrow INTEGER NOT NULL, body BLOB NOT NULL
  );
  CREATE UNIQUE INDEX pageByNo ON page (source, no);
  CREATE INDEX pageByLine ON page (source, linesBefore, no);
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, startsAt INTEGER NOT NULL, endsAt INTEGER NOT NULL,
    firstLine INTEGER NOT NULL, lastLine INTEGER NOT NULL, title TEXT NOT NULL
  );
  CREATE VIRTUAL TABLE responses USING fts5 (
    body, title, words, content = '', contentless_delete = 1, tokenize = "${TOKENIZER}"
  );
  INSERT INTO responses (responses, rank) VALUES ('automerge', 16), ('crisismerge', 64);
  CREATE VIRTUAL TABLE responsesTerms USING fts5vocab (responses, row);
  CREATE VIRTUAL TABLE responsesPlaces USING fts5vocab (responses, instance);
`

export const SOURCE = 'id, label, state, bytes, lines, textEnd, catalog'
export const CHUNK = 'c.id, s.label, s.id AS source, c.startsAt, c.endsAt, c.firstLine, c.lastLine, c.title'
const LIVE = `state IN ('pending', 'searchable', 'failed')`
const LIVE_RESPONSE = `catalog IS NULL AND ${LIVE}`

/** Row ids between `@low` and `@high`, and of the sources of the JSON array `@scope` unless that is null. */
const inScope = (id: string) =>
  `${id} BETWEEN @low AND @high AND (@scope IS NULL OR ${id} / ${CHUNKS_PER_SOURCE} IN (SELECT value FROM json_each(@scope)))`

/** What is used of a prepared statement. */
export interface Change<Args extends unknown[]> {
  run(...args: Args): { readonly lastInsertRowid: number | bigint }
}

export interface Query<Args extends unknown[], Row> {
  get(...args: Args): Row | undefined
  all(...args: Args): Row[]
}

export type Statements = ReturnType<typeof prepareStatements>

/** What a database keeps of its file in memory. */
export const CACHE_KIBIBYTES = 32_768

/** In memory up to 32 MiB, the rest in the file, which for SQLite's private temporary database is a deleted one. */
export function tune(db: Database): void {
  // A private database has no reader to recover for. The journal stays, in memory, so that a failed insert can be taken back.
  db.pragma('journal_mode = MEMORY')
  db.pragma('synchronous = OFF')
  db.pragma('locking_mode = EXCLUSIVE')
  db.pragma(`cache_size = -${CACHE_KIBIBYTES}`)
}

export function createTables(db: Database): void {
  db.exec(SCHEMA)
}

export function statementsOn(db: Database) {
  return {
    change: <Args extends unknown[]>(sql: string): Change<Args> => db.prepare<Args>(sql),
    query: <Args extends unknown[], Row>(sql: string): Query<Args, Row> => db.prepare<Args, Row>(sql),
  }
}

export function prepareStatements(db: Database) {
  const { change, query } = statementsOn(db)
  return {
    addSource: change<[string, SourceState, number, number, number, string | null]>(
      'INSERT INTO source (label, state, bytes, lines, textEnd, catalog) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    setState: change<[SourceState, number]>('UPDATE source SET state = ? WHERE id = ?'),
    deleteSource: change<[number]>('DELETE FROM source WHERE id = ?'),
    sourceByLabel: query<[string], SourceRow>(`SELECT ${SOURCE} FROM source WHERE label = ?`),
    sourceById: query<[number], SourceRow>(`SELECT ${SOURCE} FROM source WHERE id = ?`),
    responsesByPrefix: query<[string, string], SourceRow>(
      `SELECT ${SOURCE} FROM source WHERE catalog IS NULL AND substr(label, 1, length(?)) = ? ORDER BY id DESC`,
    ),
    newestLabels: query<[number], { label: string }>(
      `SELECT label FROM source WHERE ${LIVE} ORDER BY catalog IS NOT NULL, id DESC LIMIT ?`,
    ),
    labelsByPrefix: query<[string, string, number], { label: string; total: number }>(
      `SELECT label, count(*) OVER () AS total FROM source
       WHERE ${LIVE_RESPONSE} AND substr(label, 1, length(?)) = ? ORDER BY id DESC LIMIT ?`,
    ),
    oldestResponse: query<[], SourceRow>(`SELECT ${SOURCE} FROM source WHERE ${LIVE_RESPONSE} ORDER BY id LIMIT 1`),
    totals: query<[], Totals>(
      `SELECT count(*) AS sources, coalesce(sum(bytes), 0) AS textBytes, count(*) FILTER (WHERE state = 'pending') AS pending
       FROM source WHERE ${LIVE_RESPONSE}`,
    ),
    addPart: change<[number, number, number, number, string, string | null, number, Buffer | null]>(
      'INSERT INTO part (source, no, startsAt, endsAt, mimeType, uri, narrow, original) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    parts: query<[number], PartRow>(
      'SELECT startsAt, endsAt, mimeType, uri, narrow, original FROM part WHERE source = ? ORDER BY no',
    ),
    addPage: change<[number, number, number, Buffer, number, Buffer]>(
      'INSERT INTO page (source, no, linesBefore, lineStarts, narrow, body) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    page: query<[number, number], PageRow>(
      'SELECT no, linesBefore, lineStarts, narrow, body FROM page WHERE source = ? AND no = ?',
    ),
    pageOfLine: query<[number, number], PageRow>(
      `SELECT no, linesBefore, lineStarts, narrow, body FROM page
       WHERE source = ? AND linesBefore < ? ORDER BY linesBefore DESC, no DESC LIMIT 1`,
    ),
    addChunk: change<[number, number, number, number, number, string]>(
      'INSERT INTO chunk (id, startsAt, endsAt, firstLine, lastLine, title) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    chunkCount: query<[number, number], { found: number }>('SELECT count(*) AS found FROM chunk WHERE id BETWEEN ? AND ?'),
    addText: change<[number, string, string, string]>('INSERT INTO responses (rowid, body, title, words) VALUES (?, ?, ?, ?)'),
    chunkAt: query<[number, number, number], ChunkRow>(
      `SELECT ${CHUNK} FROM chunk AS c JOIN source AS s ON s.id = c.id / ${CHUNKS_PER_SOURCE}
       WHERE c.id BETWEEN ? AND ? AND c.startsAt <= ? ORDER BY c.id DESC LIMIT 1`,
    ),
    responseChunks: query<[], { found: number }>(
      `SELECT count(*) AS found FROM chunk WHERE id / ${CHUNKS_PER_SOURCE} NOT IN (SELECT id FROM source WHERE catalog IS NOT NULL)`,
    ),
    deletePages: change<[number]>('DELETE FROM page WHERE source = ?'),
    deleteParts: change<[number]>('DELETE FROM part WHERE source = ?'),
    deleteChunks: change<[number, number]>('DELETE FROM chunk WHERE id BETWEEN ? AND ?'),
    deleteTexts: change<[number, number]>('DELETE FROM responses WHERE rowid BETWEEN ? AND ?'),
    match: query<[MatchArgs], RankedChunkRow>(
      `SELECT ${CHUNK}, m.rank FROM (
         SELECT rowid AS id, bm25(responses, ${WEIGHTS}) AS rank FROM responses
         WHERE responses MATCH @match AND ${inScope('rowid')} ORDER BY rank LIMIT @limit
       ) AS m JOIN chunk AS c ON c.id = m.id JOIN source AS s ON s.id = c.id / ${CHUNKS_PER_SOURCE} ORDER BY m.rank, c.id`,
    ),
  }
}

/** What both full-text tables are asked alike. */
export function vocabularyStatements(db: Database, table: 'responses' | 'catalog') {
  const { query } = statementsOn(db)
  return {
    count: query<[MatchArgs], { found: number }>(
      `SELECT count(*) AS found FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH @match AND ${inScope('rowid')} LIMIT @limit)`,
    ),
    documentsWith: query<[string], { found: number }>(`SELECT doc AS found FROM ${table}Terms WHERE term = ?`),
    /** A term as the index holds it, stemmed: tokenizing a stem again may give another one. */
    chunkWithTerm: query<[Scope & { readonly term: string }], ChunkRow>(
      `SELECT ${CHUNK} FROM chunk AS c JOIN source AS s ON s.id = c.id / ${CHUNKS_PER_SOURCE}
       WHERE c.id = (SELECT doc FROM ${table}Places WHERE term = @term AND ${inScope('doc')} LIMIT 1)`,
    ),
    termsBetween: query<[string, string, number], { term: string }>(
      `SELECT term FROM ${table}Terms WHERE term >= ? AND term < ? LIMIT ?`,
    ),
  }
}

export type VocabularyStatements = ReturnType<typeof vocabularyStatements>

/** A range of chunk ids and, where it holds others too, the sources as a JSON array. */
export interface Scope {
  readonly low: number
  readonly high: number
  readonly scope: string | null
}

export interface MatchArgs extends Scope {
  readonly match: string
  readonly limit: number
}
