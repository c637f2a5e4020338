/** Options as data: a zod schema whose leaves carry their help text, and what is read off it (rows, unknown keys, faults). */
import * as z from 'zod'
import { nearest } from '../base/nearest.js'
import { showFound, type ValueType } from './values.js'

export interface OptionFacts {
  /** What it does, as a sentence of the help. */
  readonly help: string
  /** The kind of its value: `ms`, `bytes`, `true|false`. */
  readonly type: string
  /** The default in words, where the value itself would not do. */
  readonly shown?: string | undefined
  /** Accepted, but nothing acts on it in this version. */
  readonly later?: boolean
}

export interface OptionRow extends OptionFacts {
  readonly path: readonly string[]
  readonly schema: z.ZodType
  readonly shape: 'value' | 'list' | 'map'
  /** Undefined where there is none. */
  readonly defaultValue: unknown
}

/** A fault or note about one field. */
export interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A schema for one value; its message completes "must be …". */
export function leaf<T>(type: ValueType<T>) {
  return z.transform((value: unknown, context): T => {
    const parsed = type.parse(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: type.expected })
    return z.NEVER
  })
}

/** Gives a schema its place in the tables. */
export function option<S extends z.ZodType>(facts: OptionFacts, schema: S): S {
  factsOf.add(schema, facts)
  return schema
}

/** Every option of a schema with its path, in the schema's order. */
export function optionRows(schema: z.ZodType, path: readonly string[] = []): OptionRow[] {
  const facts = factsOf.get(schema)
  if (facts !== undefined) {
    return [{ ...facts, path, schema, shape: shapeOf(schema), defaultValue: defaultOf(schema) }]
  }
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([key, field]) => optionRows(field, [...path, key]))
}

/** Keys that a schema does not have, at every depth, each with the key that was likely meant. */
export function unknownKeys(schema: z.ZodType, value: unknown, path: readonly string[] = []): Finding[] {
  if (!isRecord(value)) return []
  const inner = unwrap(schema)
  if (inner instanceof z.ZodRecord) {
    const each = inner.valueType as z.ZodType
    return Object.entries(value).flatMap(([key, item]) => unknownKeys(each, item, [...path, key]))
  }
  const fields = fieldsOf(schema)
  if (fields === undefined) return []
  return Object.entries(value).flatMap(([key, item]): Finding[] => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (field !== undefined) return unknownKeys(field, item, [...path, key])
    return [{ path: [...path, key], message: unknownMessage(key, meantBy(key, schema)) }]
  })
}

export function unknownMessage(key: string, meant: string | undefined): string {
  return `${JSON.stringify(key)} is not an option${meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`}`
}

/** zod's issues as findings; `found` is looked up in the value as it was written, and not shown for secret fields. */
export function findingsOf(
  error: z.ZodError,
  written: unknown,
  isSecret: (path: readonly PropertyKey[]) => boolean,
): Finding[] {
  return error.issues.map((issue) => {
    const expected = issue.code === 'custom' ? issue.message : kindOf(issue)
    return {
      path: issue.path,
      message: `must be ${expected}, found ${showFound(valueAt(written, issue.path), isSecret(issue.path))}`,
    }
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    return (at as Record<PropertyKey, unknown>)[key]
  }, value)
}

/** A path as people write it: `context.responses`, `args[1]`. */
export function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const word = /^[\w$@/-]+$/.test(String(key)) ? String(key) : JSON.stringify(String(key))
    return text === '' ? word : `${text}.${word}`
  }, '')
}

// --- internal ---

const factsOf = z.registry<OptionFacts>()

function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
  return wrapped ? unwrap(schema.unwrap() as z.ZodType) : schema
}

function fieldsOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const inner = unwrap(schema)
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined
}

function shapeOf(schema: z.ZodType): OptionRow['shape'] {
  const inner = unwrap(schema)
  return inner instanceof z.ZodArray ? 'list' : inner instanceof z.ZodRecord ? 'map' : 'value'
}

function defaultOf(schema: z.ZodType): unknown {
  return schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined
}

/** An option called just so elsewhere, by its full path, else the nearest key of the same object, else the nearest elsewhere. */
function meantBy(key: string, schema: z.ZodType): string | undefined {
  const rows = optionRows(unwrap(schema))
  const elsewhere = (name: string | undefined) => {
    const [match, ...others] = rows.filter(({ path }) => path.at(-1) === name)
    return others.length === 0 ? match?.path.join('.') : undefined
  }
  /** A group of options that stands deeper. */
  const group = () => {
    const row = rows.find(({ path }) => path.length > 1 && path.slice(0, -1).includes(key))
    return row?.path.slice(0, row.path.indexOf(key) + 1).join('.')
  }
  const near = () => nearest(key, Object.keys(fieldsOf(schema) ?? {}))
  return elsewhere(key) ?? group() ?? near() ?? elsewhere(nearest(key, new Set(rows.map(({ path }) => path.at(-1) ?? ''))))
}

function kindOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message
  return issue.expected === 'array' ? 'a list' : 'an object'
}
