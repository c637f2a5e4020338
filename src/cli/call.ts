/** `sluice call <tool> [arguments]`: one call, and what the model would get of it. */
import * as z from 'zod'
import { SluiceError } from '../base/errors.js'
import { isRecord } from '../config/option-schema.js'
import type { LocalSession } from './local-session.js'

/** What `--json` prints: the result as the client gets it, or a JSON-RPC error. */
export const callReport = z.union([
  z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
  z.looseObject({
    content: z.array(z.looseObject({ type: z.string() })).optional(),
    structuredContent: z.looseObject({}).optional(),
    isError: z.boolean().optional(),
  }),
])

interface CallOptions {
  readonly session: LocalSession
  /** An exposed name, or a label such as `mcp/github/tool/create_issue`. */
  readonly tool: string
  /** JSON text; `{}` by default. */
  readonly argumentsJson: string | undefined
  readonly json: boolean
  readonly write: (text: string) => void
}

/** @throws USAGE where the arguments are no JSON object */
export function checkArguments(json: string | undefined): void {
  if (json === undefined) return
  try {
    if (isRecord(JSON.parse(json))) return
  } catch (error) {
    throw new SluiceError('USAGE', `the arguments are not valid JSON: ${json}`, { cause: error })
  }
  throw new SluiceError('USAGE', `the arguments must be a JSON object: ${json}`)
}

/** The exit code: 1 where the tool says that it failed. */
export async function call({ session, tool, argumentsJson = '{}', json, write }: CallOptions): Promise<number> {
  const answer = await session.ask('tools/call', paramsOf(session, tool, argumentsJson))
  const text = 'ok' in answer ? answer.ok : `{"error":${answer.error}}`
  const result = JSON.parse(text) as CallResult
  write(json ? `${text}\n` : `${rendered(result)}\n`)
  return result.error || result.isError === true ? 1 : 0
}

// --- internal ---

interface CallResult {
  readonly content?: readonly Readonly<Record<string, unknown>>[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
  readonly error?: { readonly code: number; readonly message: string }
}

/** Arguments go as they were typed. A label is called as the model calls it. */
function paramsOf({ context }: LocalSession, tool: string, argumentsJson: string): string {
  if (!tool.startsWith('mcp/') || !context.index) return `{"name":${JSON.stringify(tool)},"arguments":${argumentsJson}}`
  const wrapped = `{"name":${JSON.stringify(tool)},"arguments":${argumentsJson}}`
  return `{"name":${JSON.stringify(context.settings.callTool)},"arguments":${wrapped}}`
}

function rendered({ content = [], structuredContent, error }: CallResult): string {
  if (error) return `${error.message} (JSON-RPC error ${error.code})`
  const blocks = content.map(block)
  const hasText = content.some(({ type }) => type === 'text')
  if (structuredContent !== undefined && !hasText) blocks.push(JSON.stringify(structuredContent, null, 2))
  return blocks.join('\n\n')
}

function block({ type, text, data, mimeType, uri, resource }: Readonly<Record<string, unknown>>): string {
  if (typeof text === 'string' && type === 'text') return text
  if (isRecord(resource)) {
    return typeof resource['text'] === 'string' ? resource['text'] : `[resource ${resource['uri']}${sizeOf(resource['blob'])}]`
  }
  return `[${[type, mimeType, uri].filter((part) => part !== undefined).join(' ')}${sizeOf(data)}]`
}

function sizeOf(base64: unknown): string {
  return typeof base64 === 'string' ? `, ${Buffer.byteLength(base64, 'base64')} bytes` : ''
}
