/** What sessions have asked a server to go on doing: subscriptions, a log level, tasks. Counted by session, since several may share a server. */

/** A session, by the listener with which it hears its servers. */
type Holder = object

interface Orders {
  level: string | undefined
  readonly uris: Set<string>
  /** When a task may be forgotten at the latest, in ms of `performance.now()`. */
  readonly tasks: Map<string, number>
}

interface StandingOrdersOptions {
  /** Sends a request for the gateway itself, if the server is ready. */
  readonly tell: (method: string, params: object) => void
  /** Whether the server takes log levels. */
  readonly logs: () => boolean
}

/** From the most verbose; RFC 5424. */
const LEVELS: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

export class StandingOrders {
  readonly #options: StandingOrdersOptions
  readonly #held = new Map<Holder, Orders>()

  constructor(options: StandingOrdersOptions) {
    this.#options = options
  }

  /** Whether something goes on here that would be lost if the server was stopped. */
  get busy(): boolean {
    const now = performance.now()
    return [...this.#held.values()].some(({ uris, tasks }) => uris.size > 0 || [...tasks.values()].some((until) => until > now))
  }

  /** The most verbose of the sessions' levels: what the server is to be at. Undefined if none was set. */
  get level(): string | undefined {
    const levels = [...this.#held.values()].flatMap(({ level }) => level ?? [])
    return LEVELS.find((level) => levels.includes(level)) ?? levels[0]
  }

  levelOf(holder: Holder): string | undefined {
    return this.#held.get(holder)?.level
  }

  /** Returns the session's level of before. The server is not told. */
  setLevel(holder: Holder, level: string | undefined): string | undefined {
    const orders = this.#of(holder)
    const before = orders.level
    orders.level = level
    return before
  }

  /** Whether a session wants a message of this level. Levels nobody knows are always wanted. */
  hears(holder: Holder, level: unknown): boolean {
    const rank = typeof level === 'string' ? LEVELS.indexOf(level) : -1
    return rank < 0 || rank >= LEVELS.indexOf(this.levelOf(holder) ?? '')
  }

  /** False if the session holds it already. The server is not told. */
  subscribe(holder: Holder, uri: string): boolean {
    const { uris } = this.#of(holder)
    if (uris.has(uri)) return false
    uris.add(uri)
    return true
  }

  /** False if the session does not hold it. The server is not told. */
  unsubscribe(holder: Holder, uri: string): boolean {
    return this.#held.get(holder)?.uris.delete(uri) ?? false
  }

  /** Whether any session is subscribed to exactly this. */
  holds(uri: string): boolean {
    return [...this.#held.values()].some(({ uris }) => uris.has(uri))
  }

  /** Whether a session is subscribed to a URI or to one that it is a part of, as `test://a/b` is of `test://a`. */
  reaches(holder: Holder, uri: string): boolean {
    const { uris } = this.#held.get(holder) ?? { uris: [] }
    for (const held of uris) if (uri === held || isPartOf(uri, held)) return true
    return false
  }

  /** @param ttlMs for so long at most; undefined: until it is said to have ended */
  taskRuns(holder: Holder, id: string, ttlMs = Number.POSITIVE_INFINITY): void {
    this.#of(holder).tasks.set(id, performance.now() + ttlMs)
  }

  taskEnded(holder: Holder, id: string): void {
    this.#held.get(holder)?.tasks.delete(id)
  }

  /** The server's process is gone, and its tasks with it. */
  forgetTasks(): void {
    for (const { tasks } of this.#held.values()) tasks.clear()
  }

  /** The server starts anew and knows nothing of all this. */
  renew(): void {
    const { level } = this
    if (level !== undefined) this.#tellLevel(level)
    const uris = new Set([...this.#held.values()].flatMap((orders) => [...orders.uris]))
    for (const uri of uris) this.#options.tell('resources/subscribe', { uri })
  }

  /** An unsubscribe was answered: over HTTP it may have overtaken another session's subscribe. */
  mend(uri: string): void {
    if (this.holds(uri)) this.#options.tell('resources/subscribe', { uri })
  }

  /** The session is over: what only it wanted ends. A level stays when nobody has another, since none can be taken back. */
  leave(holder: Holder): void {
    const left = this.#held.get(holder)
    if (!left) return
    const before = this.level
    this.#held.delete(holder)
    for (const uri of left.uris) if (!this.holds(uri)) this.#options.tell('resources/unsubscribe', { uri })
    const { level } = this
    if (level !== undefined && level !== before) this.#tellLevel(level)
  }

  // --- internal ---

  #of(holder: Holder): Orders {
    const known = this.#held.get(holder)
    if (known) return known
    const orders: Orders = { level: undefined, uris: new Set(), tasks: new Map() }
    this.#held.set(holder, orders)
    return orders
  }

  #tellLevel(level: string): void {
    if (this.#options.logs()) this.#options.tell('logging/setLevel', { level })
  }
}

// --- internal ---

/** `test://ab` is no part of `test://a`: a name ends where letters and digits do. */
function isPartOf(uri: string, whole: string): boolean {
  if (whole === '' || !uri.startsWith(whole)) return false
  return !(LETTER_OR_DIGIT.test(whole.slice(-1)) && LETTER_OR_DIGIT.test(uri.charAt(whole.length)))
}
