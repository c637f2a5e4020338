/** Turns a JSON-RPC response into a receipt and a source, or lets it pass. Pure but for what it is given. */
import { utf8Length } from '../base/utf8.js'
import { parseJson, withId } from '../protocol/frame.js'
import { asRecord } from '../protocol/messages.js'
import type { IngestArgs, ToolNames } from '../protocol/session-api.js'
import { renderReceipt } from '../receipt/receipt.js'
import { contentsOf } from '../text/contents.js'
import { receiptFrame } from './receipt-frame.js'
import { type ResultText, type Root, resultText, rootOf } from './result-parts.js'
import { layOutSource, type RawPart, type SourceLayout } from './source-layout.js'

export type Ingested =
  | { readonly kind: 'receipt'; readonly frame: Buffer; readonly bytes: number; readonly layout: SourceLayout }
  | { readonly kind: 'pass'; readonly frame: Buffer }
  | { readonly kind: 'invalid'; readonly reason: string }

export function ingestFrame(args: Omit<IngestArgs, 'session'>, names: ToolNames): Ingested {
  const { frame, idJson } = args
  const value = asRecord(parseJson(frame))
  if (!value) return { kind: 'invalid', reason: 'the message is not a JSON object' }
  const root = rootOf(frame)
  if (!root) return { kind: 'invalid', reason: 'the message has no id, or neither result nor error' }
  return compressed(args, names, { root, value }) ?? passed(frame, root, idJson)
}

/** The frame with the client's id and nothing else changed. */
export function passed(frame: Uint8Array, root: Root, idJson: string): Ingested {
  return { kind: 'pass', frame: withId(frame, root.idSpan, idJson) }
}

// --- internal ---

/** The receipt, or undefined for what is to pass: errors, tasks, no text, little text, a receipt that would be no smaller. */
function compressed(
  args: Omit<IngestArgs, 'session'>,
  names: ToolNames,
  { root, value }: { root: Root; value: Readonly<Record<string, unknown>> },
): Ingested | undefined {
  const { frame, kind, label, idJson, thresholdBytes } = args
  const result = asRecord(value['result'])
  if (!root.result || !result || asRecord(result['task'])) return undefined
  const found = resultText(frame, root.result, result, kind)
  const raw = rawParts(found)
  const bytes = raw.reduce((sum, { text }) => sum + utf8Length(text), 0)
  if (raw.length === 0 || bytes <= thresholdBytes) return undefined
  const layout = layOutSource(raw)
  const { lines, sections } = layout
  const contents = contentsOf(sections)
  const receipt = renderReceipt({ label, bytes, lines: lines.count, preview: layout.preview(), contents, names })
  if (utf8Length(receipt) >= bytes) return undefined
  return { kind: 'receipt', frame: receiptFrame(frame, root, found, { idJson, receipt }), bytes, layout }
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
