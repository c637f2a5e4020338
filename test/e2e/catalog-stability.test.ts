/** Lists do not change without need: from start to start, and with servers that come late, fail or change. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CatalogClient, CatalogStage, dataServers, type Servers, writeCatalog } from '../support/catalog-stage.js'
import type { Catalog } from '../support/catalogs.js'
import { DATA, fixture } from '../support/gateway.js'
import { generatedCatalog, hugeCatalog } from '../support/generated-catalogs.js'
import { commandLineOf, descendantsOf } from '../support/processes.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const FAILING = { command: process.execPath, args: ['-e', 'process.exit(3)'] }

/** Small enough to be listed whole, of a server whose instructions make the catalog large. */
const few = (name: string, tools = 4) => generatedCatalog(name, { tools, words: 12, parameters: 2, prompts: 1, resources: 1 })
const wordy = (name: string) => ({ ...few(name), instructions: 'Much is to be said. '.repeat(1_000) })

const TOOLS_CHANGED = 'notifications/tools/list_changed'

async function givenTo(servers: Servers, home: string, settings: object = {}): Promise<string[]> {
  const client = await stage.open(servers, { home, settings })
  const given = await client.given()
  await client.close()
  return given
}

/** What a client is given, and what a search finds. */
async function foundBy(servers: Servers, home: string): Promise<string[]> {
  const client = await stage.open(servers, { home })
  const found = [...(await client.given()), await client.search(['create'])]
  await client.close()
  return found
}

/** What was prepared, each with its file's number: another one after it was written anew. */
function preparedIn(home: string): Map<string, number> {
  const folder = join(home, 'data/sluice/prepared')
  return new Map(readdirSync(folder).map((name) => [join(folder, name), statSync(join(folder, name)).ino]))
}

/** A server that lives as its file says. */
function following(file: string) {
  return fixture('catalog-server.js', file, '--follow')
}

/** The entries of one server's tools. */
const of = (entries: readonly string[], alias: string) => entries.filter((entry) => entry.startsWith(`{"name":"${alias}__`))
const notOf = (entries: readonly string[], alias: string) => entries.filter((entry) => !entry.startsWith(`{"name":"${alias}__`))

describe('two starts', () => {
  const mixes: [string, () => Servers][] = [
    [
      'made-up servers',
      () =>
        stage.serve({
          huge: hugeCatalog('huge'),
          store: generatedCatalog('store', { tools: 50, resources: 80, prompts: 30, instructions: 400 }),
          few: few('few'),
        }),
    ],
    ...(DATA
      ? [
          ['real servers', () => dataServers(['github', 'linear', 'everything', 'clarity', 'azure', 'kubernetes-node'])] as [
            string,
            () => Servers,
          ],
        ]
      : []),
  ]

  it.each(mixes)('give the same bytes with %s, cold and warm', async (_, servers) => {
    const entries = servers()
    const home = stage.folder()
    const cold = await givenTo(entries, home)
    expect(await givenTo(entries, home)).toEqual(cold)
    expect(await givenTo(entries, stage.folder())).toEqual(cold)
  })

  it('give the same lists though the first could not say in its instructions what the servers are for', async () => {
    const servers = stage.serve({
      store: generatedCatalog('store', { tools: 50, resources: 80, instructions: 900 }),
      shop: generatedCatalog('shop', { tools: 50, instructions: 900 }),
    })
    const home = stage.folder()
    const settings = { initWait: 0 }
    const cold = await givenTo(servers, home, settings)
    const warm = await givenTo(servers, home, settings)
    expect(warm.slice(0, -1)).toEqual(cold.slice(0, -1))
    expect(cold.at(-1)).toContain('(starting)')
    expect(warm.at(-1)).not.toContain('(starting)')
  })

  it('give the same bytes, and find the same, from what was prepared before; only what is broken is prepared anew', async () => {
    const servers = stage.serve({ a: wordy('a'), b: few('b', 30) })
    const home = stage.folder()
    const cold = await foundBy(servers, home)
    const files = preparedIn(home)
    expect(files.size).toBe(3) // the gateway's own tools are counted too
    expect(await foundBy(servers, home)).toEqual(cold)
    expect(preparedIn(home)).toEqual(files)

    const [broken = ''] = files.keys()
    writeFileSync(broken, '{"version":1')
    expect(await foundBy(servers, home)).toEqual(cold)
    const later = preparedIn(home)
    expect([...later.keys()].filter((file) => later.get(file) !== files.get(file))).toEqual([broken])
  })

  it('give the same bytes in whatever order the servers land', async () => {
    const folder = stage.folder()
    const catalogs: Record<string, Catalog> = { a: few('a', 40), b: wordy('b'), c: few('c', 40) }
    const files = Object.keys(catalogs).map((name) => join(folder, `${name}.json`))
    const servers = Object.fromEntries(Object.keys(catalogs).map((name, at) => [name, following(files[at] ?? '')]))
    const opening = stage.open(servers)
    for (const name of ['c', 'b', 'a']) writeCatalog(join(folder, `${name}.json`), catalogs[name] ?? {})
    const given = await (await opening).given()
    expect(await givenTo(servers, stage.folder())).toEqual(given)
  })
})

describe('a server that is late', () => {
  it('adds its own lines at the end when it lands, and changes no other', async () => {
    const folder = stage.folder()
    const file = join(folder, 'late.json')
    const servers = { ...stage.serve({ a: wordy('a') }), late: following(file), ...stage.serve({ z: few('z') }) }
    const client = await stage.open(servers, { settings: { initWait: 400, listWait: 400 } })
    expect(client.instructions).toContain('late (starting)')
    await client.raw.ask('tools/list')
    await expectLanding(client, file)
  })

  /** The servers that are in time may be slow on a busy machine. */
  async function expectLanding(client: CatalogClient, file: string): Promise<void> {
    let before = await client.entries('tools')
    while (of(before, 'a').length === 0 || of(before, 'z').length === 0) before = await client.entries('tools')
    const heard = client.raw.messages.filter(({ method }) => method === TOOLS_CHANGED).length
    writeCatalog(file, few('late'))
    await client.raw.seen(TOOLS_CHANGED, heard + 1)
    const after = await client.entries('tools')
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length)).toEqual(of(after, 'late'))
    expect(of(after, 'late')).toHaveLength(4)
  }

  it('is called as soon as it is there, by a client that knew its tool', async () => {
    const file = join(stage.folder(), 'late.json')
    const client = await stage.open(
      { ...stage.serve({ a: wordy('a') }), late: following(file) },
      { settings: { initWait: 100 } },
    )
    const called = client.text('IndexCall', { name: 'late__issue_create_0', a_0: 1 })
    const refused = client.text('IndexCall', { name: 'late__issue_create_0' })
    writeCatalog(file, few('late'))
    expect(await called).toContain('"arguments":{"a_0":1}')
    expect(await refused).toMatch(/^Missing: a_0\n\nParameters of late__issue_create_0: \{"type":"object"/)
  })
})

describe('a server that fails', () => {
  it('leaves the lists of the others as they are without it', async () => {
    const { a = {}, z = {} } = stage.serve({ a: wordy('a'), z: generatedCatalog('z', { tools: 60 }) })
    const [without, withIt] = [await stage.open({ a, z }), await stage.open({ a, bad: FAILING, z })]
    for (const kind of ['tools', 'resources', 'prompts'] as const) {
      expect(await withIt.entries(kind)).toEqual(await without.entries(kind))
    }
  })

  it.runIf(process.platform === 'linux')('keeps its lines when it dies later', async () => {
    const folder = stage.folder()
    const home = stage.folder()
    const client = await stage.open(stage.serve({ a: wordy('a'), mortal: few('mortal'), z: few('z') }, folder), { home })
    const before = await client.given()
    const victims = descendantsOf(process.pid).filter((pid) => commandLineOf(pid).includes(join(folder, 'mortal.json')))
    expect(victims.length).toBeGreaterThan(0)
    for (const pid of victims) process.kill(pid, 'SIGKILL')
    expect(await client.given()).toEqual(before)
    let said = ''
    // A call may go out before the gateway has heard of the death.
    while (!said.startsWith('{"name"')) said = await client.text('mortal__issue_create_0', { a_0: 1 })
    expect(await client.given()).toEqual(before)
  })
})

describe('a server that changes its tools', () => {
  async function changed(from: Catalog, to: Catalog, settings: object = {}) {
    const file = join(stage.folder(), 'm.json')
    writeCatalog(file, from)
    const client = await stage.open(
      { ...stage.serve({ a: wordy('a') }), m: following(file), ...stage.serve({ z: few('z') }) },
      { settings },
    )
    const before = await client.entries('tools')
    writeCatalog(file, to)
    await client.raw.seen(TOOLS_CHANGED)
    return { client, before, after: await client.entries('tools') }
  }

  it('changes its own lines in their places, and adds new ones at the end', async () => {
    const [one, two, three] = generatedCatalog('m', { tools: 3, words: 12, parameters: 2 }).tools ?? []
    const added = { name: 'added', description: 'of late', inputSchema: { type: 'object' } }
    const { before, after } = await changed(
      { tools: [one ?? {}, two ?? {}, three ?? {}] },
      { tools: [{ ...one, description: 'says something else' }, three ?? {}, added] },
    )
    expect(notOf(after, 'm')).toEqual(notOf(before, 'm'))
    expect(after.at(-1)).toContain('"name":"m__added"')
    const places = before.filter((entry) => entry !== of(before, 'm')[1])
    const differing = after.slice(0, -1).filter((entry, at) => entry !== places[at])
    expect(differing).toEqual([expect.stringContaining('says something else')])
  })

  it('takes out only its own where all of them go', async () => {
    const { before, after } = await changed(few('m'), { tools: [] })
    expect(after).toEqual(notOf(before, 'm'))
  })

  it('that grow out of all bounds stays within the ceilings', async () => {
    const { client, before, after } = await changed(few('m'), hugeCatalog('m'))
    const given = await client.given()
    expect(Buffer.byteLength(given.join(''))).toBeLessThanOrEqual(16_384)
    expect(of(after, 'a')).toEqual(of(before, 'a'))
    expect(of(after, 'z')).toEqual(of(before, 'z'))
    expect(await client.search(['giant_7'])).toContain('m__giant_7')
  })

  it('is searched as it is now', async () => {
    const { client } = await changed(few('m'), {
      tools: [{ name: 'defrost', description: 'Thaws a freezer', inputSchema: { type: 'object' } }],
    })
    expect(await client.search(['thaw the freezer'])).toContain('m__defrost')
    expect(await client.text('IndexCall', { name: 'm__defrost' })).toContain('"name":"defrost"')
    expect(await client.text('IndexRead', { label: 'mcp/m/tool/issue_create_0' })).toContain('mcp/')
  })
})
