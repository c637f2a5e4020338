/** Turns a JSON-RPC response into a source and a receipt, or its text cut in the middle, or lets it pass. Pure but for what it is given. */
import { sampleOf } from '../base/text-sample.js'
import { utf8Length } from '../base/utf8.js'
import { answerFacts, digestOf, shownTexts } from '../protocol/answer-facts.js'
import type { ResultFacts } from '../protocol/audit-api.js'
import { withId } from '../protocol/frame.js'
import { type Edit, textOf } from '../protocol/json-spans.js'
import type { IngestArgs, ToolNames } from '../protocol/session-api.js'
import { renderCutMarker, renderReceipt } from '../receipt/receipt.js'
import { contentsOf } from '../text/contents.js'
import { cutMiddle, joinTexts } from '../text/result/cut-middle.js'
import { memberOf, outlineOf } from '../text/result/frame-outline.js'
import { replaceText } from '../text/result/replace-text.js'
import { type ResultText, resultText, withoutTask } from '../text/result/result-parts.js'
import { layOutSource, type RawPart, type SourceLayout } from './source-layout.js'

export type Ingested =
  /** What is shown in place of the text: a receipt, or its head and tail. */
  | {
      readonly kind: 'receipt'
      readonly frame: Buffer
      readonly bytes: number
      readonly layout: SourceLayout
      readonly facts: ResultFacts | undefined
    }
  | { readonly kind: 'pass'; readonly frame: Buffer; readonly facts: ResultFacts | undefined }
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
  const shown = withoutTask(frame, result)
  const found = shown && resultText(frame, shown, args.kind)
  const facts = args.withFacts ? factsOf(frame, found) : undefined
  const receipt = found && receiptOf(args, names, found)
  if (!receipt) return { kind: 'pass', frame: withId(frame, idSpan, idJson), facts }
  const { edits, bytes, layout } = receipt
  return { kind: 'receipt', frame: withId(frame, idSpan, idJson, edits), bytes, layout, facts }
}

// --- internal ---

interface Receipt {
  readonly edits: readonly Edit[]
  readonly bytes: number
  readonly layout: SourceLayout
}

function factsOf(frame: Uint8Array, found: ResultText | undefined): ResultFacts | undefined {
  if (!found) return answerFacts(frame)
  const blocks = found.blocks.map(({ text }) => text)
  const flag = found.members.findLast(({ key }) => key === 'isError')
  return {
    digest: digestOf(frame, found.result),
    text: sampleOf(shownTexts(blocks, found.structured)),
    isError: flag !== undefined && textOf(frame, flag.value) === 'true',
  }
}

/** Undefined for what is to pass: no text, little text, what would be shown instead no smaller. */
function receiptOf(args: Omit<IngestArgs, 'session'>, names: ToolNames, found: ResultText): Receipt | undefined {
  const raw = rawParts(found)
  const bytes = raw.reduce((sum, { text }) => sum + utf8Length(text), 0)
  if (raw.length === 0) return undefined
  const asReceipt = bytes > args.thresholdBytes ? shownAsReceipt({ raw, bytes, label: args.label, names }) : undefined
  if (asReceipt) return { edits: replaceText(args.frame, found, asReceipt), bytes, layout: asReceipt.layout }
  const text = cutText(args, names, raw)
  if (text === undefined) return undefined
  return { edits: replaceText(args.frame, found, { text, inPlace: true }), bytes, layout: layOutSource(raw) }
}

interface Response {
  readonly raw: readonly RawPart[]
  readonly bytes: number
  readonly label: string
  readonly names: ToolNames
}

/** Undefined where the receipt would be no smaller. */
function shownAsReceipt({ raw, bytes, label, names }: Response): { text: string; layout: SourceLayout } | undefined {
  const layout = layOutSource(raw)
  const text = renderReceipt({
    label,
    bytes,
    lines: layout.lines.count,
    preview: layout.preview(),
    contents: contentsOf(layout.sections),
    names,
  })
  return utf8Length(text) < bytes ? { text, layout } : undefined
}

function cutText(
  { maxChars, label }: Omit<IngestArgs, 'session'>,
  names: ToolNames,
  raw: readonly RawPart[],
): string | undefined {
  if (maxChars === undefined) return undefined
  return cutMiddle(joinTexts(raw), maxChars, (cut) => renderCutMarker({ ...cut, label, names }))
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
