/** Calls made lines of the audit log: counted, hashed, appended. Runs in the compute pool's thread that has the tokenizer. */
import { hash } from 'node:crypto'
import { machineKey } from '../base/machine-key.js'
import { answerFacts } from '../protocol/answer-facts.js'
import {
  ASKED_ARGUMENTS,
  type AuditLine,
  type AuditPlace,
  CALL_COLUMNS,
  type CallBatch,
  type CallExtra,
  type CallRoute,
  RECEIPT,
  type ResultFacts,
  UNANSWERED,
} from '../protocol/audit-api.js'
import type { TokenCount } from '../protocol/compute-api.js'
import { findMember, findPath, membersOf, textOf } from '../protocol/json-spans.js'
import { appendLines } from '../usage/audit-files.js'
import { canonicalJson } from './canonical-json.js'
import { countSample, hasLongRun } from './count-tokens.js'
import { countInPieces } from './entry-cost.js'

export async function recordCalls({ batch, ...place }: AuditPlace & { readonly batch: CallBatch }): Promise<undefined> {
  const key = await machineKey(place.dataDir)
  appendLines(place, linesOf(batch, key))
  return undefined
}

/** The lines of a batch, each with its line break. */
export function linesOf({ routes, rows, bytes, extras }: CallBatch, key: Uint8Array): string {
  const keyed = keyedHash(key)
  const lines: string[] = []
  let at = 0
  for (let row = 0; row * CALL_COLUMNS.length < rows.length; row++) {
    const call = rowAt(rows, row)
    const route = routes[call.route]
    const answered = at + call.askedLength
    const end = answered + call.sentLength
    const recorded = { call, asked: bytes.subarray(at, answered), sent: bytes.subarray(answered, end), extra: extras.get(row) }
    at = end
    if (route) lines.push(`${JSON.stringify(lineOf(route, recorded, keyed))}\n`)
  }
  return lines.join('')
}

// --- internal ---

/** 128 bits in hexadecimal digits. */
const HASH_CHARS = 32
const DIGEST_BYTES = 32
const OPEN_BRACKET = 0x5b
const NONE: TokenCount = { tokens: 0, estimated: false }

type Numbers = Readonly<Record<(typeof CALL_COLUMNS)[number], number>>
type Keyed = (digest: Uint8Array) => string

interface Recorded {
  readonly call: Numbers
  readonly asked: Uint8Array
  readonly sent: Uint8Array
  readonly extra: CallExtra | undefined
}

function rowAt(rows: Float64Array, row: number): Numbers {
  const start = row * CALL_COLUMNS.length
  const numbers: Partial<Record<keyof Numbers, number>> = {}
  for (let i = 0; i < CALL_COLUMNS.length; i++) numbers[CALL_COLUMNS[i] as keyof Numbers] = rows[start + i] ?? 0
  return numbers as Numbers
}

function keyedHash(key: Uint8Array): Keyed {
  const block = Buffer.alloc(key.length + DIGEST_BYTES)
  block.set(key)
  return (digest) => {
    block.set(digest, key.length)
    return hash('sha256', block).slice(0, HASH_CHARS)
  }
}

function lineOf(route: CallRoute, recorded: Recorded, keyed: Keyed): AuditLine {
  const { call, asked, sent, extra } = recorded
  const wire = sent.length > 0 ? sent : extra?.frame
  const shown = wire && answerFacts(wire)
  const told = extra?.facts ?? shown
  const isList = route.kind === 'list' || route.kind === 'page'
  const sentTokens = isList ? listTokens(wire) : countText(shown ?? told)
  const response = isList ? countDefinitions(extra) : responseTokens(route, call.outcome === RECEIPT, { told, sentTokens })
  return {
    ts: new Date(call.startedAt).toISOString(),
    session: route.session,
    client: route.client,
    server: route.server,
    tool: route.tool,
    kind: route.kind,
    argsHash: asked.length > 0 ? keyed(digest(askedOf(asked, call.askedIs))) : null,
    resultHash: told ? keyed(told.digest) : null,
    requestBytes: call.requestBytes,
    responseBytes: call.responseBytes,
    responseTokens: response.tokens,
    sentBytes: call.sentBytes,
    sentTokens: sentTokens.tokens,
    tokensEstimated: sentTokens.estimated || response.estimated,
    isError: call.outcome === UNANSWERED || (told?.isError ?? false),
    receipt: call.outcome === RECEIPT,
    durationMs: Math.round(call.durationMs * 1000) / 1000,
  }
}

function digest(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

/** The arguments of a tool call; of any other request its params without `_meta`. */
function askedOf(asked: Uint8Array, is: number): string {
  if (is === ASKED_ARGUMENTS) return canonicalJson(asked)
  const params = findMember(asked, 0, 'params')
  if (!params) return '{}'
  const method = findMember(asked, 0, 'method')
  if (method && textOf(asked, method) === '"tools/call"') {
    const args = findPath(asked, ['arguments'], params.start)
    return args ? canonicalJson(asked, args.start) : '{}'
  }
  const members = membersOf(asked, params.start).filter(({ key }) => key !== '_meta')
  return members
    .map(({ key, value }) => `${JSON.stringify(key)}:${canonicalJson(asked, value.start)}`)
    .sort()
    .join()
}

function countText(facts: ResultFacts | undefined): TokenCount {
  return facts ? countSample(facts.text) : NONE
}

/** What passed as it came was neither kept out nor added to; no server sent what the gateway's own tools say. */
function responseTokens(
  { server }: CallRoute,
  isReceipt: boolean,
  { told, sentTokens }: { told: ResultFacts | undefined; sentTokens: TokenCount },
): TokenCount {
  if (server === null) return NONE
  return isReceipt ? countText(told) : sentTokens
}

function countDefinitions(extra: CallExtra | undefined): TokenCount {
  return extra?.definitions ? countSample(extra.definitions) : NONE
}

/** Lists are counted whole, however long they are. */
function listTokens(wire: Uint8Array | undefined): TokenCount {
  const result = wire && findMember(wire, 0, 'result')
  const list = result && membersOf(wire, result.start).find(({ value }) => wire[value.start] === OPEN_BRACKET)
  const text = list ? textOf(wire, list.value) : ''
  return { tokens: countInPieces(text), estimated: hasLongRun(text) }
}
