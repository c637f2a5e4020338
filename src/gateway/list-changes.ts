/** Tells the client that lists changed: at most once in 250 ms a kind, always once at the end, never what it has just been given. */
import type { ListKind } from '../protocol/compute-api.js'
import { notificationFrame } from '../protocol/frame.js'

const WINDOW_MS = 250

/** Templates have no notification of their own. */
const NOTIFICATIONS: Readonly<Record<ListKind, string>> = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
}

export class ListChanges {
  readonly #push: (frame: Uint8Array) => void
  readonly #dirty = new Set<ListKind>()
  readonly #served = new Set<ListKind>()
  #timer: NodeJS.Timeout | undefined

  constructor(push: (frame: Uint8Array) => void) {
    this.#push = push
  }

  /** @param isFirst a server's list is known for the first time, which is no news to a client that has not asked for any yet */
  changed(kind: ListKind, isFirst: boolean): void {
    if (isFirst && !this.#served.has(kind)) return
    this.#dirty.add(kind)
    this.#timer ??= setTimeout(() => this.#tell(), WINDOW_MS).unref()
  }

  /** The client was given the list as it is now. */
  served(kind: ListKind): void {
    this.#served.add(kind)
    this.#dirty.delete(kind)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#dirty.clear()
  }

  #tell(): void {
    this.#timer = undefined
    const methods = new Set([...this.#dirty].map((kind) => NOTIFICATIONS[kind]))
    this.#dirty.clear()
    for (const method of methods) this.#push(notificationFrame(method))
  }
}
