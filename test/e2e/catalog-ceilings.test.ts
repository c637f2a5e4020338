/** What a client is given of a large catalog, and that no mix of servers makes it more. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type CatalogClient,
  CatalogStage,
  dataServers,
  namesIn,
  tokensOf,
  upstreamNames,
  writeCatalog,
} from '../support/catalog-stage.js'
import { DATA, fixture } from '../support/gateway.js'
import { generatedCatalog, hugeCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const OWN = ['IndexSearch', 'IndexRead', 'IndexCall']

/** All that holds for every catalog above the threshold. */
async function expectWithin(client: CatalogClient, servers: readonly string[]): Promise<void> {
  const given = await client.given()
  const [tools = ''] = given
  const names = namesIn(tools)
  expect(names.slice(0, 3)).toEqual(OWN)
  expect(upstreamNames(names).length).toBeLessThanOrEqual(24)
  expect(upstreamNames(names).length).toBeGreaterThan(0)
  expect(tokensOf(JSON.stringify(JSON.parse(tools)))).toBeLessThanOrEqual(6_000)
  expect(Buffer.byteLength(given.join(''))).toBeLessThanOrEqual(16_384)
  expect(Buffer.byteLength(client.instructions)).toBeLessThanOrEqual(2_000)
  expect(client.instructions).toContain('IndexSearch')
  for (const server of servers) expect(client.instructions).toContain(server)
  const facts = await client.catalog()
  expect(facts).toMatchObject({ indexed: true, toolTokens: tokensOf(tools), contextBudget: 6_000 })
  expect(facts.listed.tools).toBe(names.length - OWN.length)
  expect(facts.deferred.tools).toBeGreaterThan(0)
}

describe('a catalog that is too large', () => {
  it('stays within all ceilings with a server of two megabytes among small ones', async () => {
    const catalogs = {
      huge: hugeCatalog('huge'),
      small: generatedCatalog('small', { tools: 3, prompts: 2, resources: 2 }),
      wordy: generatedCatalog('wordy', { tools: 40, words: 200, instructions: 3_000 }),
    }
    expect(JSON.stringify(catalogs.huge).length).toBeGreaterThan(2_000_000)
    const client = await stage.open(stage.serve(catalogs))
    await expectWithin(client, Object.keys(catalogs))
    await client.search(['merge the latest branch', 'export an invoice', 'giant_3', 'record 7', 'ask_issue_create_0'])
    await expectWithin(client, Object.keys(catalogs))
  })

  it('stays within them where most of it is resources and prompts', async () => {
    const client = await stage.open(
      stage.serve({ store: generatedCatalog('store', { tools: 12, resources: 400, prompts: 100 }) }),
    )
    const given = await client.given()
    expect(Buffer.byteLength(given.join(''))).toBeLessThanOrEqual(16_384)
    const { listed, deferred } = await client.catalog()
    expect(listed).toMatchObject({ tools: 12 })
    expect(deferred.resources).toBeGreaterThan(300)
    expect(listed.resources + listed.prompts).toBeGreaterThan(0)
  })

  it('is counted right to the token where all of it is listed', async () => {
    const catalogs = { huge: hugeCatalog('huge'), other: generatedCatalog('other', { tools: 60 }) }
    const raw = Object.values(catalogs).flatMap(({ tools = [] }) => tools ?? [])
    const thresholdBytes = JSON.stringify(raw).length
    const settings = { maxTools: 9_999, contextBudget: 9_999_999, context: { catalog: { thresholdBytes } } }
    const client = await stage.open(stage.serve(catalogs), { settings })
    const text = await client.toolsText()
    expect(upstreamNames(namesIn(text))).toHaveLength(raw.length)
    expect((await client.catalog()).toolTokens).toBe(tokensOf(text))
  })

  it('is listed whole, compressed, where it is below the threshold', async () => {
    const client = await stage.open(stage.serve({ one: generatedCatalog('one', { tools: 30, words: 4, parameters: 1 }) }))
    expect(upstreamNames(await client.toolNames())).toHaveLength(30)
    expect(await client.catalog()).toMatchObject({ indexed: false, deferred: { tools: 0 } })
  })
})

describe('a catalog that becomes too large in a session', () => {
  it('comes within the ceilings; the tool that calls the others joins the list', async () => {
    const file = join(stage.folder(), 'growing.json')
    const small = stage.serve({ small: generatedCatalog('small', { tools: 30, words: 4, parameters: 1 }) })
    writeCatalog(file, { tools: [] })
    const client = await stage.open({ ...small, growing: fixture('catalog-server.js', file, '--follow') })
    const before = await client.toolNames()
    expect(upstreamNames(before)).toHaveLength(30)
    writeCatalog(file, hugeCatalog('growing'))
    await client.raw.seen('notifications/tools/list_changed')
    const given = await client.given()
    const [tools = ''] = given
    expect(namesIn(tools)).toContain('IndexCall')
    expect(upstreamNames(namesIn(tools)).length).toBeLessThanOrEqual(24)
    expect(tokensOf(tools)).toBeLessThanOrEqual(6_000)
    expect(Buffer.byteLength(given.join(''))).toBeLessThanOrEqual(16_384)
    expect((await client.catalog()).toolTokens).toBe(tokensOf(tools))
    expect(await client.search(['giant_7'])).toContain('growing__giant_7')
  })
})

describe.runIf(DATA)('the catalogs of real servers (needs SLUICE_DATA)', () => {
  const all = DATA ? readdirSync(join(DATA, 'tools')).flatMap((file) => (/^lmb-/.test(file) ? [] : [file.slice(0, -5)])) : []
  const mixes: [number, string[]][] = [
    [2, ['github', 'playwright']],
    [6, ['linear', 'everything', 'firecrawl', 'clarity', 'filesystem', 'git-cyanheads']],
    [20, all.filter((_, at) => at % 2 === 0).slice(0, 20)],
    [42, all],
  ]

  it.each(mixes)('of %i servers stay within all ceilings', async (count, names) => {
    expect(names).toHaveLength(count)
    const client = await stage.open(dataServers(names))
    await expectWithin(client, names)
    await client.search(['create an issue', 'take a screenshot', 'list all files', 'search the web', 'delete a branch'])
    await expectWithin(client, names)
  })
})
