/** Any text at all as FTS5 expressions: every term quoted, so that nothing in it is syntax. Pure. */
import { splitIdentifier } from '../text/words.js'

export interface Term {
  /** As it was written, in lower case. */
  readonly word: string
  /** An FTS5 expression that cannot be a syntax error. */
  readonly match: string
  /** The plain words in it, split as identifiers are: `create`, `Pull`, `Request`. */
  readonly parts: readonly string[]
}

export interface MatchQuery {
  /** Distinct terms in their order: stop words only where there is nothing else. */
  readonly terms: readonly Term[]
  /** All words, stop words included, as one FTS5 phrase; undefined for one word and for long queries. */
  readonly phrase?: string
  /** Quoted phrases and code-like words, in lower case: a chunk that holds one to the letter is better evidence. */
  readonly literals: readonly string[]
}

export function parseQuery(query: string): MatchQuery {
  const text = cleaned(query)
  const quoted = [...text.matchAll(/"([^"]{2,200})"/g)].map(([, inner]) => (inner ?? '').trim())
  const words = text.replaceAll('"', ' ').split(/\s+/).flatMap(bounded)
  const tokens = words.filter((word) => SEARCHABLE.test(word))
  const content = tokens.filter((word) => !STOP_WORDS.has(bare(word).toLowerCase()))
  const single = content.length > 0 ? content : tokens
  const phrases = quoted.filter((inner) => /\s/.test(inner) && SEARCHABLE.test(inner))
  const terms = distinct([...phrases.map(phraseTerm), ...single.map(wordTerm)])
  const literals = [...quoted, ...tokens.map(trimmed).filter((word) => CODE_LIKE.test(word))].map((l) => l.toLowerCase())
  const isPhrase = tokens.length > 1 && tokens.length <= MAX_PHRASE_WORDS
  return {
    terms,
    literals: [...new Set(literals)].filter((literal) => literal.length > 1).slice(0, MAX_LITERALS),
    ...(isPhrase && { phrase: quote(tokens.join(' ')) }),
  }
}

/** Chunks that hold any of the terms. */
export function anyOf(terms: readonly Term[]): string {
  return terms.map(({ match }) => match).join(' OR ')
}

/** Chunks that hold all of the terms. */
export function allOf(terms: readonly Term[]): string {
  return terms.map(({ match }) => match).join(' AND ')
}

/** Text as one FTS5 phrase. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', ' ')}"`
}

// --- internal ---

const MAX_QUERY_CHARS = 200_000
const MAX_WORD_CHARS = 120
const MAX_PHRASE_WORDS = 12
const MAX_LITERALS = 16

/** A word without any of these has no token, and an empty phrase inside an AND matches nothing. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u
const CODE_LIKE = /[\p{L}\p{N}].*[^\p{L}\p{N}\s]|[^\p{L}\p{N}\s].*[\p{L}\p{N}]|\p{N}/u

const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as at be because been but by can could did do does for from get had has have he her here ' +
    'his how i if in into is it its just me more most my no not of on or our out over she should so some such than that the their ' +
    'them then there these they this those to too under up us was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/** Well-formed, without the control characters that would end a MATCH expression. */
function cleaned(query: string): string {
  return query
    .slice(0, MAX_QUERY_CHARS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
}

/** A very long word as the pieces that the tokenizer would make of it; pieces that are still too long match nothing anyway. */
function bounded(word: string): string[] {
  if (word.length <= MAX_WORD_CHARS) return [word]
  return word.split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u).filter((piece) => piece !== '' && piece.length <= MAX_WORD_CHARS)
}

function bare(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
}

/** Without the punctuation of a sentence around it: `(src/core),` is `src/core`, `C++` stays. */
function trimmed(word: string): string {
  return word.replace(/^[([{<'`,;:]+|[)\]}>'`,;:.?!]+$/g, '')
}

function phraseTerm(inner: string): Term {
  return { word: inner.toLowerCase(), match: quote(inner), parts: splitIdentifier(inner) }
}

function wordTerm(word: string): Term {
  const name = bare(word)
  const parts = splitIdentifier(name)
  const spelled = parts.join(' ')
  // `src/core` is the phrase "src core" anyway; only what the tokenizer takes for one word needs its parts.
  const plain = name.replace(/[^\p{L}\p{N}\p{M}\p{Co}]+/gu, ' ')
  const match =
    parts.length > 1 && spelled.toLowerCase() !== plain.toLowerCase() ? `(${quote(word)} OR ${quote(spelled)})` : quote(word)
  return { word: name.toLowerCase(), match, parts }
}

function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [term.word, term])).values()]
}
