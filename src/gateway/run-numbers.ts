/** Run numbers of labels: they count up per exposed name over the whole process, so a label always names the same content. */
export class RunNumbers {
  readonly #last = new Map<string, number>()

  /** The next label of an exposed name: `filesystem__read_file:3`. */
  next(exposed: string): string {
    const run = (this.#last.get(exposed) ?? 0) + 1
    this.#last.set(exposed, run)
    return `${exposed}:${run}`
  }

  /** Takes back a label that nobody has seen, if no later one was given since. */
  release(label: string): void {
    const at = label.lastIndexOf(':')
    const exposed = label.slice(0, at)
    const run = Number(label.slice(at + 1))
    if (this.#last.get(exposed) === run) this.#last.set(exposed, run - 1)
  }
}
