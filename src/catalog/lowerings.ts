/** Takes down what was lowered of a schema, each kind of change once. */
import type { ToolRepair } from './repair-tool.js'

export class Lowerings {
  readonly #because: string
  readonly #found = new Map<string, { why: string; places: number }>()

  /** @param because why something is changed where no better reason is given */
  constructor(because: string) {
    this.#because = because
  }

  /** @param what such as `oneOf written as anyOf` */
  add(what: string, why = this.#because): void {
    const known = this.#found.get(what)
    if (known) known.places++
    else this.#found.set(what, { why, places: 1 })
  }

  all(): ToolRepair[] {
    return [...this.#found].map(([what, { why, places }]) => ({
      what: places === 1 ? what : `${what} (${places} places)`,
      why,
    }))
  }
}
