/** What a gateway remembers of its servers from one start to the next, and that it leaves them alone until they are called. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import {
  callText,
  createHome,
  fixture,
  type Home,
  openHttpGateway,
  openStdioGatewayIn,
  type ServerEntry,
  type StdioGateway,
} from '../support/gateway.js'
import { commandLineOf, descendantsOf } from '../support/processes.js'
import { RawClient } from '../support/raw-client.js'
import { httpWire } from '../support/raw-wire.js'
import { until } from '../support/upstreams.js'

const NAMES = ['s1', 's2', 's3', 's4', 's5', 's6']
const endings: (() => unknown)[] = []

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Six servers whose catalogs are files of the home. */
function sixServers(entry: Partial<ServerEntry> = {}): Home {
  const home = createHome({})
  endings.push(() => home.remove())
  for (const name of NAMES) writeCatalog(home, name, ['one', 'two'])
  configure(home, entry)
  return home
}

function configure(home: Home, entry: Partial<ServerEntry>): void {
  const servers = NAMES.map((name) => [name, { ...fixture('catalog-server.js', join(home.folder, `${name}.json`)), ...entry }])
  // No start is to be late on a busy machine.
  const sluice = { initWait: 20_000, listWait: 20_000 }
  writeFileSync(home.config, JSON.stringify({ mcpServers: Object.fromEntries(servers), sluice }))
}

function writeCatalog(home: Home, name: string, tools: readonly string[]): void {
  const list = tools.map((tool) => ({ name: tool, description: `${tool} of ${name}`, inputSchema: { type: 'object' } }))
  const catalog = { server: name, tools: list, prompts: [{ name: 'ask' }], instructions: `how to use ${name}` }
  writeFileSync(join(home.folder, `${name}.json`), JSON.stringify(catalog))
}

async function open(home: Home, capabilities: object = {}): Promise<StdioGateway> {
  const gateway = await openStdioGatewayIn(home, new Client({ name: 'test', version: '1' }, { capabilities }))
  endings.push(() => gateway.close())
  return gateway
}

/** Starts a gateway, lists, and ends it: what it learned is on disk then. */
async function warmUp(home: Home): Promise<void> {
  const gateway = await openStdioGatewayIn(home)
  await gateway.client.listTools()
  await gateway.close()
}

/** The names of the servers that run under a process. */
function running(pid: number): string[] {
  const lines = descendantsOf(pid).map(commandLineOf)
  return NAMES.filter((name) => lines.some((line) => line.includes(`${name}.json`)))
}

async function toolsOf(client: Client): Promise<string[]> {
  const { tools } = await client.listTools()
  return tools.map(({ name }) => name).filter((name) => name.includes('__'))
}

function catalogFiles({ folder }: Home): string[] {
  const catalogs = join(folder, 'data/sluice/catalogs')
  return existsSync(catalogs) ? readdirSync(catalogs).map((name) => join(catalogs, name)) : []
}

const ALL = NAMES.flatMap((name) => [`${name}__one`, `${name}__two`])

describe.runIf(process.platform === 'linux')('a gateway that starts again', () => {
  it('lists all as before without a single server, and a call starts just the one that it needs', async () => {
    const home = sixServers()
    const cold = await openStdioGatewayIn(home)
    const lists = async ({ client }: StdioGateway) => [
      await client.listTools(),
      await client.listPrompts(),
      client.getInstructions(),
    ]
    const before = await lists(cold)
    expect(running(cold.pid)).toEqual(NAMES)
    await cold.close()

    const warm = await open(home)
    expect(await lists(warm)).toEqual(before)
    expect(running(warm.pid)).toEqual([])
    expect(await callText(warm.client, 's4__two', { a: 1 })).toBe('{"name":"two","arguments":{"a":1}}')
    expect(running(warm.pid)).toEqual(['s4'])
    const { contents } = await warm.client.readResource({ uri: 'sluice://servers' })
    const { servers } = JSON.parse((contents[0] as { text: string }).text) as { servers: Record<string, unknown>[] }
    expect(servers.map(({ state, cached }) => [state, cached])).toEqual(
      NAMES.map((name) => (name === 's4' ? ['ready', undefined] : ['idle', true])),
    )
    expect(servers[0]).toMatchObject({ server: 's1', tools: 2, prompts: 1 })
  })

  it('keeps what it knows where only its user can read it', async () => {
    const home = sixServers({ env: { TOKEN: 'very-secret-value' } })
    await warmUp(home)
    const files = catalogFiles(home)
    expect(files).toHaveLength(6)
    for (const file of files) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain('very-secret-value')
    }
  })

  it('says so when a server comes back with other tools, and remembers those', async () => {
    const home = sixServers()
    await warmUp(home)
    writeCatalog(home, 's2', ['one', 'three'])
    const warm = await open(home)
    let changes = 0
    warm.client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes++
    })
    expect(await toolsOf(warm.client)).toEqual(ALL)
    await callText(warm.client, 's1__one')
    await callText(warm.client, 's2__one')
    await until(() => changes > 0)
    // A list only grows at its end.
    const now = [...ALL.filter((name) => name !== 's2__two'), 's2__three']
    expect(await toolsOf(warm.client)).toEqual(now)
    expect(await callText(warm.client, 's2__three')).toContain('"name":"three"')
    await warm.close()
    expect(changes).toBe(1)
    const again = await open(home)
    expect(await toolsOf(again.client)).toEqual(ALL.map((name) => (name === 's2__two' ? 's2__three' : name)))
    expect(running(again.pid)).toEqual([])
  })

  it('finds a tool that its server has had only since the last start', async () => {
    const home = sixServers()
    await warmUp(home)
    writeCatalog(home, 's3', ['fresh'])
    const warm = await open(home)
    expect(await callText(warm.client, 's3__fresh')).toContain('"name":"fresh"')
    expect(running(warm.pid)).toEqual(['s3'])
  })

  it('keeps the tools of a server that no longer starts', async () => {
    const home = sixServers()
    await warmUp(home)
    writeFileSync(join(home.folder, 's5.json'), 'no JSON')
    const warm = await open(home)
    await expect(warm.client.callTool({ name: 's5__one' })).rejects.toThrow(/s5/)
    expect(await toolsOf(warm.client)).toEqual(ALL)
    await warm.close()
    const again = await open(home)
    expect(await toolsOf(again.client)).toEqual(ALL)
  })

  it('starts the servers whose files are broken, and those only', async () => {
    const home = sixServers()
    await warmUp(home)
    const [one = '', two = ''] = catalogFiles(home)
    writeFileSync(one, '{"version":1')
    writeFileSync(two, readFileSync(two, 'utf8').replace('one of', 'two of'))
    const warm = await open(home)
    expect(await toolsOf(warm.client)).toEqual(ALL)
    expect(running(warm.pid)).toHaveLength(2)
  })

  it('asks again where a value of the environment is another, or the client can do more', async () => {
    const home = sixServers({ env: { TOKEN: 'a' } })
    await warmUp(home)
    configure(home, { env: { TOKEN: 'b' } })
    const other = await open(home)
    expect(running(other.pid)).toEqual(NAMES)
    configure(home, { env: { TOKEN: 'a' } })
    const sampling = await open(home, { sampling: {} })
    expect(running(sampling.pid)).toEqual(NAMES)
    const same = await open(home)
    expect(running(same.pid)).toEqual([])
  })

  it('shares the folder with others that start at the same time', async () => {
    const home = sixServers()
    const [a, b] = await Promise.all([openStdioGatewayIn(home), openStdioGatewayIn(home)])
    expect(await toolsOf(a.client)).toEqual(ALL)
    expect(await toolsOf(b.client)).toEqual(ALL)
    await Promise.all([a.close(), b.close()])
    const [c, d] = await Promise.all([open(home), open(home)])
    expect([await toolsOf(c.client), await toolsOf(d.client)]).toEqual([ALL, ALL])
    expect([running(c.pid), running(d.pid)]).toEqual([[], []])
    expect(catalogFiles(home)).toHaveLength(6)
  })

  it('asks a server again that had nothing at all', async () => {
    const home = sixServers()
    writeFileSync(join(home.folder, 's6.json'), JSON.stringify({ tools: [] }))
    await warmUp(home)
    const warm = await open(home)
    expect(running(warm.pid)).toEqual(['s6'])
  })
})

describe.runIf(process.platform === 'linux')('a gateway over HTTP', () => {
  const two = async (servers: Readonly<Record<string, ServerEntry>>, settings: object) => {
    const gateway = await openHttpGateway(servers, settings)
    endings.push(() => gateway.close())
    const session = async () => {
      const client = new RawClient(httpWire(gateway.url.href))
      endings.push(() => client.close())
      await client.initialize({ roots: { listChanged: true } })
      return client
    }
    const count = () => descendantsOf(gateway.pid).filter((pid) => commandLineOf(pid).includes('complete-server')).length
    return { session, count }
  }
  const text = ({ result }: { result?: Readonly<Record<string, unknown>> }) =>
    ((result?.['content'] ?? []) as { text: string }[])[0]?.text ?? ''

  it('starts no server for the second session before that calls it, whatever else it says', async () => {
    const servers = { a: fixture('complete-server.js'), b: fixture('complete-server.js', '--revision', '2025-06-18') }
    const { session, count } = await two(servers, { initWait: 20_000, context: { responses: { enabled: false } } })
    const first = await session()
    const listed = await first.ask('tools/list')
    expect(count()).toBe(2)

    const second = await session()
    expect((await second.ask('tools/list')).result).toEqual(listed.result)
    expect((await second.ask('logging/setLevel', { level: 'warning' })).result).toEqual({})
    await second.notify('notifications/roots/list_changed')
    await second.notify('x/unknown')
    await second.ask('ping')
    expect(count()).toBe(2)

    // The level that was asked for before it started reaches it first.
    expect(text(await second.call('b__notify', { method: 'x/any', params: {} }))).toBe('level warning')
    expect(count()).toBe(3)
    expect((await second.ask('tasks/list')).result?.['tasks']).toHaveLength(2)
    expect(count()).toBe(4)
  })

  it('starts a shared server once, and a subscription starts one', async () => {
    const servers = {
      common: { ...fixture('complete-server.js'), instances: 'shared' },
      own: fixture('complete-server.js', '--revision', '2025-06-18'),
    }
    const { session, count } = await two(servers, { initWait: 20_000, context: { responses: { enabled: false } } })
    const first = await session()
    const { resources } = (await first.ask('resources/list')).result as { resources: { uri: string }[] }
    const second = await session()
    expect(count()).toBe(2)
    const uri = resources.at(-1)?.uri
    expect((await second.ask('resources/subscribe', { uri })).error).toBeUndefined()
    expect(count()).toBe(3)
  })
})
