/** Gateways with a raw client on them, and servers of the complete fixture behind. All of it ends with `close`. */
import { CLI, createHome, fixture, isolatedEnv, openHttpGateway, type ServerEntry } from './gateway.js'
import { type ListeningServer, listenHttp } from './listening-server.js'
import { CAPABILITIES, RawClient } from './raw-client.js'
import { httpWire, stdioWire } from './raw-wire.js'

export type Transport = 'stdio' | 'http'

/** As little as possible between client and server. */
export const PLAIN_SETTINGS = { naming: 'bare', context: { responses: { enabled: false } } }

/** The same in front of what takes a while to start. */
export const PATIENT_SETTINGS = { ...PLAIN_SETTINGS, initWait: 30_000, listWait: 30_000 }

export class Stage {
  readonly #closing: (() => unknown)[] = []

  /** How to reach a server of its own. */
  async server(over: Transport, ...args: string[]): Promise<ServerEntry> {
    if (over === 'stdio') return fixture('complete-server.js', ...args)
    const server: ListeningServer = await listenHttp('complete-server.js', '--http', ...args)
    this.#closing.push(() => server.close())
    return { url: server.url }
  }

  /** How to reach a gateway in front of a server. */
  async gateway(over: Transport, server: ServerEntry): Promise<ServerEntry> {
    if (over === 'http') {
      const gateway = await openHttpGateway({ one: server }, PATIENT_SETTINGS)
      this.#closing.push(() => gateway.close())
      return { url: gateway.url.href }
    }
    const home = createHome({ one: server }, PATIENT_SETTINGS)
    this.#closing.push(() => home.remove())
    return { command: process.execPath, args: [CLI, '--config', home.config], env: isolatedEnv(home.folder) }
  }

  /** Something to be closed with the rest. */
  keep(close: () => unknown): void {
    this.#closing.push(close)
  }

  /** A client, not initialized yet, of a gateway of its own. */
  async client(over: Transport, servers: Readonly<Record<string, ServerEntry>>, settings: object = PLAIN_SETTINGS) {
    if (over === 'http') return (await this.httpGateway(servers, settings))()
    const home = createHome(servers, settings)
    this.#closing.push(() => home.remove())
    return this.#keep(
      new RawClient(stdioWire({ command: process.execPath, args: [CLI, '--config', home.config] }, isolatedEnv(home.folder))),
    )
  }

  /** A client without a gateway. */
  direct(server: ServerEntry): RawClient {
    return this.#keep(
      new RawClient(
        server.url === undefined
          ? stdioWire(server, server['env'] as Record<string, string> | undefined)
          : httpWire(server.url),
      ),
    )
  }

  /** A gateway that many clients can have; each ask opens one. */
  async httpGateway(
    servers: Readonly<Record<string, ServerEntry>>,
    settings: object = PLAIN_SETTINGS,
  ): Promise<() => RawClient> {
    const gateway = await openHttpGateway(servers, settings)
    this.#closing.push(() => gateway.close())
    return () => this.#keep(new RawClient(httpWire(gateway.url.href)))
  }

  /** A client, initialized. */
  async ready(over: Transport, servers: Readonly<Record<string, ServerEntry>>, settings?: object): Promise<RawClient> {
    const client = await this.client(over, servers, settings)
    await client.initialize(CAPABILITIES)
    return client
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close()
  }

  // --- internal ---

  #keep(client: RawClient): RawClient {
    this.#closing.push(() => client.close())
    return client
  }
}
