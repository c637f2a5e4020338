/** Where in a JSON document an offset stands, for offsets in ascending order. */

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
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
  #at = 0
  /** The end of the string at `#at`, so that a long one is measured once. */
  #tokenEnd = 0
  /** The open containers: an array's index, or the key of an object's member. */
  readonly #steps: (number | string)[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** The path of the value at `offset` (`items[12].labels`), or of the next one. Empty at the outermost level. */
  at(offset: number): string {
    this.#advance(offset)
    let path = ''
    for (const step of this.#steps) {
      if (typeof step === 'number') path += `[${step}]`
      else if (step !== '') path += NAME.test(step) ? `${path === '' ? '' : '.'}${step}` : `[${JSON.stringify(step)}]`
    }
    return path
  }

  #advance(offset: number): void {
    const text = this.#text
    while (this.#at < text.length && offset >= this.#tokenEnd) {
      const code = text.charCodeAt(this.#at)
      if (code === QUOTE) {
        this.#readKey()
        this.#tokenEnd = stringEnd(text, this.#at)
        if (offset < this.#tokenEnd) return
        this.#at = this.#tokenEnd
      } else if (this.#at >= offset && !isSpace(code) && code !== CLOSE_BRACE && code !== CLOSE_BRACKET && code !== COMMA)
        return
      else this.#step(code)
    }
  }

  #step(code: number): void {
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
    const text = this.#text
    const last = this.#steps.length - 1
    if (this.#steps[last] !== '' || text.charCodeAt(this.#at) !== QUOTE) return
    const end = stringEnd(text, this.#at)
    if (text.charCodeAt(spaceEnd(text, end)) === COLON) this.#steps[last] = unquoted(text.slice(this.#at, end))
  }
}

// --- internal ---

const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u
