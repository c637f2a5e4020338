/** Where in a JSON document an offset stands, for offsets in ascending order. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  type Codes,
  codesOf,
  isOpener,
  isSpace,
  OPEN_BRACKET,
  QUOTE,
  spaceEnd,
  stringEnd,
  unquoted,
} from './json-scan.js'

/** Walks the text once, however many offsets are asked for. */
export class JsonPath {
  readonly #text: string
  readonly #codes: Codes
  #at = 0
  /** The end of the string at `#at`, so that a long one is measured once. */
  #tokenEnd = 0
  /** The open containers: an array's index, or the key of an object's member. */
  readonly #steps: (number | string)[] = []

  constructor(text: string) {
    this.#text = text
    this.#codes = codesOf(text)
  }

  /** The path of the value at `offset` (`items[12].labels`), or of the next one. Empty at the outermost level. */
  at(offset: number): string {
    this.#advance(offset)
    let path = ''
    for (const step of this.#steps.slice(0, MAX_STEPS)) {
      if (typeof step === 'number') path += `[${step}]`
      else if (step !== '') path += NAME.test(step) ? `${path === '' ? '' : '.'}${step}` : `[${JSON.stringify(step)}]`
    }
    return path
  }

  #advance(offset: number): void {
    const codes = this.#codes
    while (this.#at < codes.length && offset >= this.#tokenEnd) {
      const code = codes[this.#at]
      if (code === QUOTE) {
        this.#readKey()
        this.#tokenEnd = stringEnd(codes, this.#at)
        if (offset < this.#tokenEnd) return
        this.#at = this.#tokenEnd
      } else if (this.#at >= offset && !isSpace(code) && code !== CLOSE_BRACE && code !== CLOSE_BRACKET && code !== COMMA)
        return
      else this.#step(code)
    }
  }

  #step(code: number | undefined): void {
    const steps = this.#steps
    const last = steps.length - 1
    if (isOpener(code)) steps.push(code === OPEN_BRACKET ? 0 : '')
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) steps.pop()
    else if (code === COMMA) {
      const step = steps[last]
      steps[last] = typeof step === 'number' ? step + 1 : ''
    }
    this.#at++
  }

  /** Takes the key that the walk stands at, if it stands at one. */
  #readKey(): void {
    const codes = this.#codes
    const last = this.#steps.length - 1
    if (this.#steps[last] !== '' || codes[this.#at] !== QUOTE) return
    const end = stringEnd(codes, this.#at)
    if (codes[spaceEnd(codes, end)] === COLON) this.#steps[last] = unquoted(this.#text.slice(this.#at, end))
  }
}

// --- internal ---

/** More would not fit a title, and on deep nesting cost more than the text. */
const MAX_STEPS = 40
const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u
