/** Cuts of descriptions: at word ends, first sentences, headings. */
import { safeCut } from '../base/utf8.js'

/** `text` in at most `maxChars` code units (0: all of it), cut at a word's end where there is one near, with `…` behind the cut. */
export function cutAtWord(text: string, maxChars: number): string {
  if (maxChars <= 0 || text.length <= maxChars) return text
  const head = text.slice(0, safeCut(text, maxChars - 1))
  const inWord = !SPACE_AT_END.test(head) && !SPACE_AT_START.test(text.slice(head.length, head.length + 1))
  const words = inWord ? head.replace(LAST_WORD, '') : head
  // Text without blanks, such as Chinese or a long URL, is cut where it is.
  return `${(words.length >= head.length / 2 ? words : head).trimEnd()}…`
}

/** The first sentence of the first paragraph, headings left out, in one line of at most `maxChars` code units. */
export function firstSentence(text: string, maxChars: number): string {
  const lines = text.slice(0, SENTENCE_REACH).split('\n')
  const prose = lines.filter((line) => !HEADING.test(line)).join('\n')
  const paragraph = prose.split(PARAGRAPH_END).find((part) => part.trim() !== '')
  const line = oneLine(paragraph ?? lines.join(' '))
  return cutAtWord(SENTENCE.exec(line)?.[0] ?? line, maxChars)
}

/** White space of any kind, and control characters, as single blanks. */
export function oneLine(text: string): string {
  return text.replace(BLANKS, ' ').trim()
}

/** The texts of Markdown headings outside code, at most `max` of them with `maxChars` code units each. */
export function headingsOf(text: string, max: number, maxChars: number): string[] {
  const found: string[] = []
  let fenced = false
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced
    if (fenced || !HEADING.test(line)) continue
    const heading = oneLine(line.slice(0, HEADING_REACH).replace(HASHES, ' '))
    if (heading !== '') found.push(cutAtWord(heading, maxChars))
    if (found.length === max) break
  }
  return found
}

/** Whether `title` has no word that `name` lacks. */
export function repeatsName(title: string, name: string): boolean {
  const inName = wordsOf(name)
  const inTitle = wordsOf(title)
  return inTitle.every((word) => inName.includes(word)) || inTitle.join('') === inName.join('')
}

// --- internal ---

const SENTENCE_REACH = 4_000
const SPACE_AT_END = /\s$/
const SPACE_AT_START = /^\s/
const LAST_WORD = /\S+$/
const PARAGRAPH_END = /\r?\n[ \t]*\r?\n/
/** A full stop within `e.g. x` or `v1.2` ends nothing. */
const SENTENCE = /^.*?(?:[.!?](?=\s+[^\p{Ll}\s]|$)|[。！？])/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
const FENCE = /^\s{0,3}(?:```|~~~)/
const HEADING = /^ {0,3}#{1,6}[ \t]+\S/
const HEADING_REACH = 300
const HASHES = /^ *#+|[ \t]#+\s*$/g

function wordsOf(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}
