/** The tables of the catalog in a session's database and every statement on them, prepared once. */
import type { Database } from 'better-sqlite3'
import type { DocKind } from '../protocol/catalog-api.js'
import { CHUNK, CHUNKS_PER_SOURCE, type ChunkRow, SOURCE, type SourceRow, statementsOn, TOKENIZER } from './sql.js'

/** The columns of the full-text table, in their order. */
export const COLUMNS = ['name', 'title', 'description', 'parameters', 'server'] as const

export type Column = (typeof COLUMNS)[number]

/** A chunk of the catalog as the ranking knows it. */
export interface EntryRow {
  /** Of the chunk. */
  readonly id: number
  readonly label: string
  readonly kind: DocKind
  readonly exposed: string
  readonly name: string
  /** JSON: words by column. */
  readonly sizes: string
}

/** How often a term stands in a column of a chunk. */
export interface PlaceRow {
  readonly id: number
  readonly field: Column
  readonly times: number
}

export type CatalogStatements = ReturnType<typeof prepareCatalogStatements>

/** `probe` holds no text: it tells how the tokenizer takes words apart. */
const SCHEMA = `
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, exposed TEXT NOT NULL, name TEXT NOT NULL, sizes TEXT NOT NULL
  );
  CREATE VIRTUAL TABLE catalog USING fts5(${COLUMNS.join(', ')}, content = '', contentless_delete = 1, tokenize = "${TOKENIZER}");
  CREATE VIRTUAL TABLE catalogTerms USING fts5vocab (catalog, row);
  CREATE VIRTUAL TABLE catalogPlaces USING fts5vocab (catalog, instance);
  CREATE VIRTUAL TABLE probe USING fts5(word, content = '', tokenize = "${TOKENIZER}");
  CREATE VIRTUAL TABLE probePlaces USING fts5vocab (probe, instance);
`

export function createCatalogTables(db: Database): void {
  db.exec(SCHEMA)
}

export function prepareCatalogStatements(db: Database) {
  const { change, query } = statementsOn(db)
  return {
    addEntry: change<[number, DocKind, string, string, string]>(
      'INSERT INTO entry (id, kind, exposed, name, sizes) VALUES (?, ?, ?, ?, ?)',
    ),
    addTexts: change<[number, ...string[]]>(
      `INSERT INTO catalog (rowid, ${COLUMNS.join(', ')}) VALUES (?, ${COLUMNS.map(() => '?').join(', ')})`,
    ),
    deleteEntries: change<[number, number]>('DELETE FROM entry WHERE id BETWEEN ? AND ?'),
    deleteTexts: change<[number, number]>('DELETE FROM catalog WHERE rowid BETWEEN ? AND ?'),
    sources: query<[string], SourceRow>(`SELECT ${SOURCE} FROM source WHERE catalog = ?`),
    anyWithPrefix: query<[string, string], { id: number }>(
      'SELECT id FROM source WHERE catalog IS NOT NULL AND substr(label, 1, length(?)) = ? LIMIT 1',
    ),
    entries: query<[], EntryRow>(
      `SELECT e.id, s.label, e.kind, e.exposed, e.name, e.sizes
       FROM entry AS e JOIN source AS s ON s.id = e.id / ${CHUNKS_PER_SOURCE} ORDER BY e.id`,
    ),
    chunk: query<[number], ChunkRow>(
      `SELECT ${CHUNK} FROM chunk AS c JOIN source AS s ON s.id = c.id / ${CHUNKS_PER_SOURCE} WHERE c.id = ?`,
    ),
    documentsWith: query<[string], { found: number }>('SELECT doc AS found FROM catalogTerms WHERE term = ?'),
    places: query<[string], PlaceRow>(
      'SELECT doc AS id, col AS field, count(*) AS times FROM catalogPlaces WHERE term = ? GROUP BY doc, col',
    ),
    matching: query<[string], { id: number }>('SELECT rowid AS id FROM catalog WHERE catalog MATCH ?'),
    addProbe: change<[number, string]>('INSERT INTO probe (rowid, word) VALUES (?, ?)'),
    probed: query<[], { id: number; term: string }>('SELECT doc AS id, term FROM probePlaces ORDER BY doc, offset'),
    clearProbe: change<[]>("INSERT INTO probe (probe) VALUES ('delete-all')"),
  }
}
