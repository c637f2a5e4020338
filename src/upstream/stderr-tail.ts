/** The end of what a server wrote on stderr, for messages about its death; a flood costs no memory. */
import { stripVTControlCharacters } from 'node:util'
import { safeCut } from '../base/utf8.js'

const KEEP_BYTES = 8192
const SHOWN_CHARS = 1000

export class StderrTail {
  #kept = Buffer.alloc(0)

  push(chunk: Uint8Array): void {
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(-KEEP_BYTES)]).subarray(-KEEP_BYTES)
  }

  /** Its last lines, at most 1,000 characters, without colours; empty if there is nothing. */
  get text(): string {
    const text = stripVTControlCharacters(this.#kept.toString('utf8')).trim()
    if (text.length <= SHOWN_CHARS) return text
    const cut = safeCut(text, text.length - SHOWN_CHARS)
    const line = text.indexOf('\n', cut)
    return `…${line < 0 || line > text.length - SHOWN_CHARS / 2 ? text.slice(cut) : text.slice(line + 1)}`
  }
}
