/** Servers of several files as one list: the same server counts once, and of different ones with one name both stay. */
import { isRecord } from '../option-schema.js'

export interface FoundServer {
  readonly name: string
  /** In our keys. */
  readonly entry: Readonly<Record<string, unknown>>
  /** The client whose file has it. */
  readonly client: string
}

export interface MergedServer extends FoundServer {
  /** As its file calls it. */
  readonly foundAs: string
}

/**
 * What `found` adds to the servers that are there. Of a taken name the newcomer gets its client's behind it (`github-cursor`), then a
 * number.
 * @param there entries by name, in our keys
 */
export function mergeServers(there: ReadonlyMap<string, unknown>, found: readonly FoundServer[]): MergedServer[] {
  const known = new Set([...there.values()].map(identityOf))
  const names = new Set(there.keys())
  const added: MergedServer[] = []
  // Of two that are the same, one that is switched on counts.
  for (const server of [...found].sort((a, b) => Number(isOff(a.entry)) - Number(isOff(b.entry)))) {
    const identity = identityOf(server.entry)
    if (known.has(identity)) continue
    known.add(identity)
    const name = freeName(server, names)
    names.add(name)
    added.push({ ...server, name, foundAs: server.name })
  }
  const order = new Map(found.map(({ entry }, index) => [entry, index]))
  return added.sort((a, b) => (order.get(a.entry) ?? 0) - (order.get(b.entry) ?? 0))
}

// --- internal ---

function isOff({ disabled, enabled }: Readonly<Record<string, unknown>>): boolean {
  return disabled === true || enabled === false
}

function freeName({ name, client }: FoundServer, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  const ofClient = `${name}-${client}`
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? ofClient : `${ofClient}-${number}`
    if (!taken.has(wanted)) return wanted
  }
}

/** What makes two entries the same server: the program or address, and all that it is given. */
function identityOf(entry: unknown): string {
  if (!isRecord(entry)) return JSON.stringify(entry ?? null)
  const { command, args = [], env = {}, cwd, url, serverUrl, httpUrl, headers = {} } = entry
  const address = httpUrl ?? url ?? serverUrl
  return JSON.stringify(command === undefined ? [address, sorted(headers)] : [command, args, sorted(env), cwd ?? null])
}

function sorted(map: unknown): unknown {
  if (!isRecord(map)) return map
  return Object.entries(map)
    .map(([key, value]) => [key, String(value)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
