/** Any text at all as FTS5 expressions: every term quoted, so that nothing in it is syntax. Pure. */
import { phraseText, queryPieces } from '../text/script-grams.js'
import { splitIdentifier } from '../text/words.js'

export interface Term {
  /** As it was written, in lower case; of an unbroken script, a gram. */
  readonly word: string
  /** An FTS5 expression that cannot be a syntax error. */
  readonly match: string
  /** The plain words in it, split as identifiers are: `create`, `Pull`, `Request`. Empty for a gram. */
  readonly parts: readonly string[]
}

export interface MatchQuery {
  /** Distinct terms in their order: stop words only where there is nothing else. */
  readonly terms: readonly Term[]
  /** All words, stop words included, as one FTS5 phrase; undefined for one plain word and for long queries. */
  readonly phrase?: string
  /** What must stand to the letter, in lower case: what is in quotes, or a query that is nothing but code. */
  readonly literals: readonly string[]
  /** Code-like words among others, in lower case: better evidence where they stand to the letter. */
  readonly codes: readonly string[]
}

export function parseQuery(query: string): MatchQuery {
  const text = cleaned(query)
  const quoted = [...text.matchAll(QUOTED)].map(([, straight, curly]) => (straight ?? curly ?? '').trim())
  const words = text.replace(/["“”]/g, ' ').split(/\s+/).flatMap(bounded)
  const tokens = words.filter((word) => SEARCHABLE.test(word))
  const content = tokens.filter((word) => !isStopWord(bare(word).toLowerCase()))
  const single = content.length > 0 ? content : tokens
  const phrases = quoted.filter((inner) => /\s/.test(inner) && SEARCHABLE.test(inner))
  const terms = distinct([...phrases.map(phraseTerm), ...single.flatMap(wordTerms)])
  const codes = words.map(trimmed).filter((word) => CODE_LIKE.test(word))
  const isCode = quoted.length === 0 && words.length > 0 && codes.length === words.length
  const isPhrase = (tokens.length > 1 || terms.length > 1) && tokens.length <= MAX_PHRASE_WORDS
  return {
    terms,
    literals: lowered(isCode ? [text.trim().replace(/\s+/g, ' '), ...codes] : quoted),
    codes: isCode ? [] : lowered(codes),
    ...(isPhrase && { phrase: quote(phraseText(tokens.join(' '))) }),
  }
}

/** Chunks that hold any of the terms. */
export function anyOf(terms: readonly Term[]): string {
  return terms.map(({ match }) => match).join(' OR ')
}

/** Text as one FTS5 phrase. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', ' ')}"`
}

// --- internal ---

const MAX_QUERY_CHARS = 200_000
const MAX_WORD_CHARS = 120
const MAX_PHRASE_WORDS = 32
const MAX_LITERALS = 16

/** A word without any of these has no token, and an empty phrase inside an AND matches nothing. */
const SEARCHABLE = /[\p{L}\p{N}\p{Co}]/u
/** Written as prose does not write: signs inside or in front, letters with digits, long numbers, a symbol that is no letter. */
const CODE_LIKE =
  /[\p{L}\p{N}][_/\\:=@#$%^&*+<>|~[\](){}]+[\p{L}\p{N}]|^[/\\~$@#.-]+[\p{L}\p{N}]|(?:\+\+|\(\)|[\])}#])$|\p{N}[.,:-]\p{N}|\p{L}\.\p{Ll}|\p{N}\p{L}|\p{L}\p{N}|^\p{N}{5,}$|\p{Extended_Pictographic}|^[^\p{L}\p{N}\s]{2,}$/u
const QUOTED = /"([^"]{1,200})"|“([^“”]{1,200})”/g

const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as at be because been but by can could did do does for from get had has have he her here ' +
    'his how i if in into is it its just me more most my no not of on or our out over she should so some such than that the their ' +
    'them then there these they this those to too under up us was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/** `what's`, `I've` and `don't` are as empty as what they are made of. */
function isStopWord(word: string): boolean {
  const [head = ''] = word.split(/['’]/, 1)
  return STOP_WORDS.has(word) || (head !== word && (STOP_WORDS.has(head) || /n['’]t$/.test(word)))
}

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
  if (!/[\p{L}\p{N}]/u.test(word)) return word
  return word.replace(/^[([{<'`,;:]+|[)\]}>'`,;:.?!]+$/g, '')
}

function phraseTerm(inner: string): Term {
  return { word: inner.toLowerCase(), match: quote(phraseText(inner)), parts: splitIdentifier(inner) }
}

/** One term, or of an unbroken script one for each gram. */
function wordTerms(word: string): Term[] {
  return queryPieces(word).flatMap(({ text, grams, isPrefix }) => {
    if (grams.length > 0) return grams.map((gram) => ({ word: gram, match: quote(gram) + (isPrefix ? '*' : ''), parts: [] }))
    return SEARCHABLE.test(text) ? [wordTerm(text)] : []
  })
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

function lowered(literals: readonly string[]): string[] {
  return [...new Set(literals.map((literal) => literal.toLowerCase()))]
    .filter((literal) => literal !== '')
    .slice(0, MAX_LITERALS)
}
