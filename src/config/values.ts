/** The kinds of value that an option can have: how one is read, what it must be, how it is shown. */
import { ellipsize } from '../base/utf8.js'
import { parseBytes, parseDuration } from './units.js'

export interface ValueType<T> {
  /** As it stands in tables and help: `ms`, `bytes`, `true|false`. */
  readonly name: string
  /** Completes "must be …". */
  readonly expected: string
  /** Undefined for what is no such value. Reading its own result again gives the same. */
  readonly parse: (value: unknown) => T | undefined
}

export const flag: ValueType<boolean> = {
  name: 'true|false',
  expected: 'true or false',
  parse: (value) => (value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined),
}

export const text: ValueType<string> = {
  name: 'text',
  expected: 'a text without NUL characters',
  parse: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
}

/** A text with something in it. */
export const name: ValueType<string> = {
  name: 'name',
  expected: 'a non-empty text',
  parse: (value) => (text.parse(value)?.trim() ? (value as string) : undefined),
}

/** What every exposed name must match, for clients and LLM APIs. */
export const toolName = pattern('name', /^[A-Za-z0-9_-]{1,50}$/, 'a name of 1 to 50 characters of A-Z a-z 0-9 _ -')
export const aliasName = pattern('name', /^[A-Za-z0-9_-]{1,32}$/, 'a name of 1 to 32 characters of A-Z a-z 0-9 _ -')

export function count(min: number, max = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const expected = max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`
  return {
    name: 'number',
    expected,
    parse: (value) => {
      const amount = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
      return Number.isSafeInteger(amount) ? within(amount as number, min, max) : undefined
    },
  }
}

export function fraction(max: number): ValueType<number> {
  return {
    name: 'number',
    expected: `a number above 0, at most ${max}`,
    parse: (value) => (typeof value === 'number' && value > 0 && value <= max ? value : undefined),
  }
}

export function duration(minMs: number): ValueType<number> {
  return {
    name: 'ms',
    expected: `a time of at least ${minMs} ms and at most 24 days, in ms or like "30 s"`,
    parse: (value) => within(parseDuration(value), minMs),
  }
}

export function bytes(min: number): ValueType<number> {
  return {
    name: 'bytes',
    expected: `a size of at least ${min} bytes, in bytes or like "16 KiB"`,
    parse: (value) => within(parseBytes(value), min),
  }
}

export function choice<const T extends string>(...choices: readonly T[]): ValueType<T> {
  return {
    name: choices.join('|'),
    expected: `one of ${choices.join(', ')}`,
    parse: (value) => choices.find((one) => one === value),
  }
}

/**
 * A value as it may stand in a message: short texts, numbers and booleans themselves, of other things the kind. Of a secret
 * field's value only the kind is told.
 */
export function showFound(value: unknown, secret = false): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (secret) return typeof value === 'string' ? 'a text' : `a ${typeof value}`
  return typeof value === 'string' ? JSON.stringify(ellipsize(value, 60)) : String(value)
}

// --- internal ---

function pattern(kind: string, regex: RegExp, expected: string): ValueType<string> {
  return { name: kind, expected, parse: (value) => (typeof value === 'string' && regex.test(value) ? value : undefined) }
}

function within(amount: number | undefined, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
  return amount !== undefined && amount >= min && amount <= max ? amount : undefined
}
