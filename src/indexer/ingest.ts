/** Turns a JSON-RPC response into a receipt and a source, or lets it pass. Pure but for what it is given. */
import { utf8Length } from '../base/utf8.js'
import { withId } from '../protocol/frame.js'
import type { Edit } from '../protocol/json-spans.js'
import type { IngestArgs, ToolNames } from '../protocol/session-api.js'
import { renderReceipt } from '../receipt/receipt.js'
import { contentsOf } from '../text/contents.js'
import { isObject, memberOf, type Outline, outlineOf } from './frame-outline.js'
import { receiptEdits } from './receipt-edits.js'
import { type ResultText, resultText } from './result-parts.js'
import { layOutSource, type RawPart, type SourceLayout } from './source-layout.js'

export type Ingested =
  | { readonly kind: 'receipt'; readonly frame: Buffer; readonly bytes: number; readonly layout: SourceLayout }
  | { readonly kind: 'pass'; readonly frame: Buffer }
  | { readonly kind: 'invalid'; readonly reason: string }

export function ingestFrame(args: Omit<IngestArgs, 'session'>, names: ToolNames): Ingested {
  const { frame, idJson } = args
  const root = outlineOf(frame)
  if (!root?.members) return { kind: 'invalid', reason: 'the message is not a JSON object' }
  const idSpan = memberOf(root, 'id')
  const result = memberOf(root, 'result')
  if (!idSpan || !(result || memberOf(root, 'error'))) {
    return { kind: 'invalid', reason: 'the message has no id, or neither result nor error' }
  }
  const receipt = receiptOf(args, names, result)
  if (!receipt) return { kind: 'pass', frame: withId(frame, idSpan, idJson) }
  const { edits, bytes, layout } = receipt
  return { kind: 'receipt', frame: withId(frame, idSpan, idJson, edits), bytes, layout }
}

// --- internal ---

interface Receipt {
  readonly edits: readonly Edit[]
  readonly bytes: number
  readonly layout: SourceLayout
}

/** Undefined for what is to pass: errors, tasks, no text, little text, a receipt that would be no smaller. */
function receiptOf(args: Omit<IngestArgs, 'session'>, names: ToolNames, result: Outline | undefined): Receipt | undefined {
  if (!result?.members || isObject(args.frame, memberOf(result, 'task'))) return undefined
  const found = resultText(args.frame, result, args.kind)
  const raw = rawParts(found)
  const bytes = raw.reduce((sum, { text }) => sum + utf8Length(text), 0)
  if (raw.length === 0 || bytes <= args.thresholdBytes) return undefined
  const layout = layOutSource(raw)
  const { lines, sections } = layout
  const shown = {
    label: args.label,
    bytes,
    lines: lines.count,
    preview: layout.preview(),
    contents: contentsOf(sections),
    names,
  }
  const receipt = renderReceipt(shown)
  return utf8Length(receipt) < bytes ? { edits: receiptEdits(args.frame, found, receipt), bytes, layout } : undefined
}

function rawParts({ blocks, structured }: ResultText): RawPart[] {
  const several = blocks.length + (structured === undefined ? 0 : 1) > 1
  const parts = blocks.map(({ text, uri, mimeType }, n): RawPart => {
    const title = uri ?? (several ? `block ${n + 1}` : undefined)
    return { text, ...(mimeType && { mimeType }), ...(uri && { uri }), ...(title && { title }) }
  })
  if (structured === undefined) return parts
  return [...parts, { text: structured, mimeType: 'application/json', ...(several && { title: 'structuredContent' }) }]
}
