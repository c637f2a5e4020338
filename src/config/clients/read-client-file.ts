/** Reads a client's file: its text and its servers. Never writes. */
import { parse, TomlError } from 'smol-toml'
import { messageOf, SluiceError } from '../../base/errors.js'
import { decodeText, parseDocument } from '../document.js'
import { isRecord, renderPath, valueAt } from '../option-schema.js'
import { readIfThere } from '../read-file.js'
import { showFound } from '../values.js'
import type { ClientFile } from './client.js'

export interface ReadClientFile {
  readonly file: ClientFile
  readonly bytes: Uint8Array
  /** Without a byte order mark. */
  readonly text: string
  /** All that the file holds. */
  readonly value: Readonly<Record<string, unknown>>
  /** The servers' entries as written, by name, in the order of the file. */
  readonly entries: ReadonlyMap<string, unknown>
}

/**
 * Undefined where there is no such file; an empty one has no entries.
 * @throws CONFIG_MISSING for one that cannot be read, CONFIG_SYNTAX with line and column, CONFIG_INVALID
 */
export function readClientFile(file: ClientFile): ReadClientFile | undefined {
  const bytes = readIfThere(file.path)
  return bytes && parseClientFile(file, bytes)
}

/** The same of bytes that are at hand. */
export function parseClientFile(file: ClientFile, bytes: Uint8Array): ReadClientFile {
  const text = decodeText(file.path, bytes)
  const { value, locate } = text.trim() === '' ? EMPTY : PARSERS[file.format](file.path, bytes)
  const list = listIn(value, file.list)
  if (list !== undefined && !isRecord(list)) {
    const found = showFound(list, true)
    throw new SluiceError('CONFIG_INVALID', `${locate(file.list)}: ${renderPath(file.list)} must be an object, found ${found}`)
  }
  return { file, bytes, text, value, entries: new Map(Object.entries(list ?? {})) }
}

// --- internal ---

interface Parsed {
  readonly value: Readonly<Record<string, unknown>>
  readonly locate: (path: readonly PropertyKey[]) => string
}

const EMPTY: Parsed = { value: {}, locate: () => '' }

const PARSERS = { json: parseDocument, toml: parseToml }

/** What stands at the list's place, or the first thing on the way there that is no object. */
function listIn(value: unknown, list: readonly string[]): unknown {
  for (let length = 1; length < list.length; length++) {
    const at = valueAt(value, list.slice(0, length))
    if (at !== undefined && !isRecord(at)) return at
  }
  return valueAt(value, list)
}

/** The parser's message quotes the line, which may hold a secret, so only its first sentence and the place are told. */
function parseToml(origin: string, bytes: Uint8Array): Parsed {
  try {
    return { value: parse(decodeText(origin, bytes), { integersAsBigInt: 'asNeeded' }), locate: () => origin }
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw new SluiceError('CONFIG_SYNTAX', `${origin}: ${messageOf(cause)}`)
    const [sentence = ''] = cause.message.replace('Invalid TOML document: ', '').split('\n')
    throw new SluiceError('CONFIG_SYNTAX', `${origin}:${cause.line}:${cause.column}: ${sentence}`)
  }
}
