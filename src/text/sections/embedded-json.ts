/** JSON values of several lines in the midst of another text: the answer of a command behind a line of its own, joined results. */

import { isContainer } from '../json-check.js'
import { type Codes, codesOf, valueEnd } from '../json-scan.js'
import { LineIndex } from '../line-index.js'
import type { Section } from '../section.js'
import { jsonSections } from './json.js'

/** Finds them line by line; a text with many false starts is given up, so that the search stays linear. */
export class EmbeddedJson {
  readonly #text: string
  readonly #lines: LineIndex
  #codes: Codes | undefined
  #patience = 4

  constructor(text: string, lines: LineIndex) {
    this.#text = text
    this.#lines = lines
  }

  /** The sections of the value that starts with `line` and the line it ends on; undefined if none starts there. */
  at(line: number): { readonly sections: Section[]; readonly lastLine: number } | undefined {
    const start = this.#lines.start(line)
    if (this.#patience === 0 || !OPENING.test(this.#text.slice(start, Math.min(this.#lines.end(line), start + REACH))))
      return undefined
    this.#codes ??= codesOf(this.#text)
    const end = valueEnd(this.#codes, start)
    const lastLine = this.#lines.lineAt(end - 1)
    if (
      lastLine === line ||
      this.#text.slice(end, this.#lines.end(lastLine)).trim() !== '' ||
      !isContainer(this.#codes.subarray(start, end))
    ) {
      this.#patience--
      return undefined
    }
    const value = this.#text.slice(start, end)
    const sections = jsonSections(value, new LineIndex(value)).map((section) => ({ ...section, line: section.line + line - 1 }))
    return sections.length > 0 ? { sections, lastLine } : undefined
  }
}

// --- internal ---

/** A bracket that the line does not close. */
const OPENING = /^(?:\{|\[)\s*(?:"[^"]*"\s*:?\s*[{[]?\s*,?|\{|\[)*\s*$/
const REACH = 300
