/** The edits that put one text in the place of a result's text: whatever is not text stays as the upstream sent it. */
import { type Edit, insertMember, type Span, skipSpace } from '../../protocol/json-spans.js'
import { type ResultText, type Siblings, textSlot } from './result-parts.js'

export interface Replacement {
  readonly text: string
  /** structuredContent stays; a result that has no other text is left as it is. */
  readonly keepsStructured?: boolean
  /** Where there is one text, an embedded resource stays one, with this text in it. */
  readonly inPlace?: boolean
}

export function replaceText(frame: Uint8Array, found: ResultText, replacement: Replacement): Edit[] {
  const { keepsStructured = false, inPlace = false } = replacement
  const text = JSON.stringify(replacement.text)
  const block = `{"type":"text","text":${text}}`
  const [first] = found.blocks
  if (!first) return keepsStructured ? [] : withBlockInFront(frame, found, block)
  const alone = found.blocks.length === 1 && found.structured === undefined
  const own = inPlace && alone ? { ...textSlot(frame, first), text } : { ...first.slot, text: first.slotIsBlock ? block : text }
  return [own, ...withoutOthers(found), ...(keepsStructured ? [] : withoutStructured(found))]
}

// --- internal ---

const CLOSE_BRACKET = 0x5d
const OPEN_BRACKET = 0x5b

/** Takes out every block of text but the first. */
function withoutOthers({ blocks }: ResultText): Edit[] {
  const [first] = blocks
  const gone = new Map<Siblings, Set<number>>()
  for (const { siblings, index } of blocks) {
    if (siblings === first?.siblings && index === first.index) continue
    gone.set(siblings, (gone.get(siblings) ?? new Set()).add(index))
  }
  return [...gone].flatMap(([siblings, indices]) => removals(siblings, indices))
}

function withoutStructured({ members }: ResultText): Edit[] {
  const gone = new Set(members.flatMap(({ key }, n) => (key === 'structuredContent' ? [n] : [])))
  return removals(
    members.map(({ whole }) => whole),
    gone,
  )
}

/** The receipt of a structuredContent that came without text goes in front of `content`, which is made where it is missing. */
function withBlockInFront(frame: Uint8Array, found: ResultText, block: string): Edit[] {
  const { members, result } = found
  const content = members.findLast(({ key }) => key === 'content')
  if (content) return [...withoutStructured(found), blockInto(frame, content.value, block)]
  const member = `"content":[${block}]`
  if (members.some(({ key }) => key !== 'structuredContent')) {
    // The insertion first: of two edits at one offset the later one must not go back behind the earlier.
    return [insertMember(frame, result.start, member), ...withoutStructured(found)]
  }
  return [{ ...result, text: `{${member}}` }]
}

function blockInto(frame: Uint8Array, content: Span, block: string): Edit {
  if (frame[content.start] !== OPEN_BRACKET) return { ...content, text: `[${block}]` }
  const at = content.start + 1
  const empty = frame[skipSpace(frame, at)] === CLOSE_BRACKET
  return { start: at, end: at, text: empty ? block : `${block},` }
}

/** Takes out items of an array or object, each run of them with the commas that belonged to it. */
function removals(items: Siblings, gone: ReadonlySet<number>): Edit[] {
  const edits: Edit[] = []
  for (let n = 0; n < items.length; n++) {
    if (!gone.has(n)) continue
    const first = n
    while (gone.has(n + 1)) n++
    const [before, here, last, after] = [items[first - 1], items[first] as Span, items[n] as Span, items[n + 1]]
    if (before) edits.push({ start: before.end, end: last.end, text: '' })
    else edits.push({ start: here.start, end: after?.start ?? last.end, text: '' })
  }
  return edits
}
