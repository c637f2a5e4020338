/** The tables of the usage file and every statement on them. */
import type { Database } from 'better-sqlite3'
import type { PairScore, ToolRef, ToolScore, ToolUse, UsageScores } from '../protocol/usage-api.js'
import { jointLevel, levelOf, scoreOf } from './decay.js'

/**
 * The most that is kept; the least valuable go. People use some hundreds of tools, and a file this full takes the main thread
 * some 30 ms to receive; ten times as much would be felt.
 */
export const MAX_TOOLS = 5_000
export const MAX_PAIRS = 10_000

/** `newer`: ours, of a later version. */
export type TablesState = 'empty' | 'ours' | 'newer' | 'foreign'

export function tablesState(db: Database): TablesState {
  const version = versionOf(db)
  if (db.pragma('application_id', { simple: true }) === APPLICATION_ID) {
    if (version > VERSION) return 'newer'
    return version === VERSION ? 'ours' : 'foreign'
  }
  const { objects } = db.prepare<[], { objects: number }>('SELECT count(*) AS objects FROM sqlite_schema').get() ?? {
    objects: 0,
  }
  return objects === 0 && version === 0 ? 'empty' : 'foreign'
}

export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number
}

export function createTables(db: Database): void {
  db.exec(SCHEMA)
}

/**
 * Adds uses, in any order. A use of the same tool twice in a row is no pair.
 *
 * A clock that once was wrong by years must not leave its tools on top for ever: uses later than `nowMs` count as of now, and
 * if the last recorded use is more than a day later than `nowMs`, all that was learned moves back as it is, to end now.
 */
export function addUses(db: Database, uses: readonly ToolUse[], nowMs: number): void {
  db.function('jointLevel', { deterministic: true }, (one, other) => jointLevel(one as number, other as number))
  turnBack(db, nowMs)
  const tools = new Map<string, number>()
  const pairs = new Map<string, number>()
  let lastUse = Number.NEGATIVE_INFINITY
  for (const { server, tool, after, atMs, times = 1 } of uses) {
    const use = Math.min(atMs, nowMs)
    const level = levelOf(use, times)
    lastUse = Math.max(lastUse, use)
    raise(tools, [server, tool], level)
    const repeated = after?.server === server && after.tool === tool
    if (after && !repeated) raise(pairs, [after.server, after.tool, server, tool], level)
  }
  const addTool = db.prepare(
    `INSERT INTO tool VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET level = jointLevel(level, excluded.level)`,
  )
  const addPair = db.prepare(
    `INSERT INTO pair VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET level = jointLevel(level, excluded.level)`,
  )
  for (const [key, level] of tools) addTool.run(...(JSON.parse(key) as string[]), level)
  for (const [key, level] of pairs) addPair.run(...(JSON.parse(key) as string[]), level)
  db.prepare('INSERT INTO clock VALUES (1, ?) ON CONFLICT DO UPDATE SET lastUse = max(lastUse, excluded.lastUse)').run(lastUse)
  keepBest(db, 'tool', TOOL_KEY, MAX_TOOLS)
  keepBest(db, 'pair', PAIR_KEY, MAX_PAIRS)
}

export function readScores(db: Database): UsageScores {
  const lastUse = lastUseOf(db) ?? 0
  const refs = new Map<string, ToolRef>()
  // Posting to another thread copies an object once, however often it is referred to.
  const refOf = (server: string, tool: string) => {
    const key = JSON.stringify([server, tool])
    const ref = refs.get(key) ?? { server, tool }
    refs.set(key, ref)
    return ref
  }
  const scores = db
    .prepare<[], ToolRow>(`SELECT * FROM tool ORDER BY level DESC, ${TOOL_KEY}`)
    .all()
    .map(({ server, tool, level }): ToolScore => ({ server, tool, score: scoreOf(level, lastUse) }))
  const pairs = db
    .prepare<[], PairRow>(`SELECT * FROM pair ORDER BY level DESC, ${PAIR_KEY}`)
    .all()
    .map(
      ({ fromServer, fromTool, toServer, toTool, level }): PairScore => ({
        from: refOf(fromServer, fromTool),
        to: refOf(toServer, toTool),
        weight: scoreOf(level, lastUse),
      }),
    )
  return { scores, pairs }
}

// --- internal ---

/** 'Slui' */
const APPLICATION_ID = 0x53_6c_75_69
const VERSION = 1

const TOOL_KEY = 'server, tool'
const PAIR_KEY = 'fromServer, fromTool, toServer, toTool'

const SCHEMA = `
  CREATE TABLE tool (server TEXT NOT NULL, tool TEXT NOT NULL, level REAL NOT NULL, PRIMARY KEY (${TOOL_KEY})) STRICT, WITHOUT ROWID;
  CREATE TABLE pair (
    fromServer TEXT NOT NULL, fromTool TEXT NOT NULL, toServer TEXT NOT NULL, toTool TEXT NOT NULL, level REAL NOT NULL,
    PRIMARY KEY (${PAIR_KEY})
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE clock (id INTEGER PRIMARY KEY, lastUse REAL NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${VERSION};
`

const DAY_MS = 24 * 60 * 60 * 1000

interface ToolRow extends ToolRef {
  readonly level: number
}

interface PairRow {
  readonly fromServer: string
  readonly fromTool: string
  readonly toServer: string
  readonly toTool: string
  readonly level: number
}

function raise(levels: Map<string, number>, names: readonly string[], use: number): void {
  const key = JSON.stringify(names)
  const level = levels.get(key)
  levels.set(key, level === undefined ? use : jointLevel(level, use))
}

function lastUseOf(db: Database): number | undefined {
  return db.prepare<[], { lastUse: number }>('SELECT lastUse FROM clock').get()?.lastUse
}

function turnBack(db: Database, nowMs: number): void {
  const ahead = (lastUseOf(db) ?? nowMs) - nowMs
  if (ahead <= DAY_MS) return
  for (const table of ['tool', 'pair']) db.prepare(`UPDATE ${table} SET level = level - ?`).run(ahead)
  db.prepare('UPDATE clock SET lastUse = lastUse - ?').run(ahead)
}

function keepBest(db: Database, table: string, key: string, max: number): void {
  db.prepare(
    `DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} ORDER BY level, ${key} LIMIT max(0, (SELECT count(*) FROM ${table}) - ?)
     )`,
  ).run(max)
}
