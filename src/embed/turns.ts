/** Work that takes turns: one at a time, what is urgent before what is not. */

export interface Turns {
  run<T>(work: () => Promise<T>, options: { readonly urgent: boolean }): Promise<T>
  /** Settles when nothing waits or runs any more. */
  idle(): Promise<void>
}

export function createTurns(): Turns {
  const waiting: { readonly urgent: (() => Promise<void>)[]; readonly rest: (() => Promise<void>)[] } = { urgent: [], rest: [] }
  let running: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    for (
      let next = waiting.urgent.shift() ?? waiting.rest.shift();
      next;
      next = waiting.urgent.shift() ?? waiting.rest.shift()
    ) {
      await next()
    }
    running = undefined
  }
  return {
    run<T>(work: () => Promise<T>, { urgent }: { readonly urgent: boolean }): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const turn = () => work().then(resolve, reject)
        if (urgent) waiting.urgent.push(turn)
        else waiting.rest.push(turn)
        running ??= drain()
      })
    },
    idle: () => running ?? Promise.resolve(),
  }
}
