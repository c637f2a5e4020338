/** What each setting of the catalog does to what a client sees. */
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogStage, namesIn, tokensOf, upstreamNames } from '../support/catalog-stage.js'
import { generatedCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const CATALOGS = {
  shop: generatedCatalog('shop', { tools: 60, resources: 40, prompts: 20, instructions: 400 }),
  forge: generatedCatalog('forge', { tools: 60 }),
  radio: generatedCatalog('radio', { tools: 6 }),
}
const open = (settings: object, flags: readonly string[] = []) => stage.open(stage.serve(CATALOGS), { settings, flags })
const QUIET = { context: { responses: { enabled: false } } }

describe('mode off', () => {
  it('lists everything untouched but for the names', async () => {
    const client = await open({ mode: 'off', ...QUIET })
    const expected = Object.entries(CATALOGS).flatMap(([alias, { tools }]) =>
      (tools ?? []).map((tool) => JSON.stringify(tool).replace('{"name":"', `{"name":"${alias}__`)),
    )
    expect(await client.entries('tools')).toEqual(expected)
    expect(await client.entries('resources')).toEqual((CATALOGS.shop.resources ?? []).map((entry) => JSON.stringify(entry)))
    expect(await client.entries('prompts')).toHaveLength(20)
    expect(client.instructions).toContain(CATALOGS.shop.instructions)
  })

  it('has the tools for responses only, which index no catalog', async () => {
    const client = await open({}, ['--mode', 'off'])
    const names = await client.toolNames()
    expect(names.slice(0, 2)).toEqual(['IndexSearch', 'IndexRead'])
    expect(names).not.toContain('IndexCall')
    expect(upstreamNames(names)).toHaveLength(126)
    expect(await client.search(['branch merge'], {})).toContain('only large responses are')
  })

  it('is what one client has where its override says so', async () => {
    const settings = { clients: { 'raw-*': { mode: 'off' } } }
    const client = await stage.open(stage.serve(CATALOGS), { settings, clientName: 'raw-client' })
    expect(upstreamNames(await client.toolNames())).toHaveLength(126)
    const other = await stage.open(stage.serve(CATALOGS), { settings, clientName: 'other' })
    expect(upstreamNames(await other.toolNames()).length).toBeLessThanOrEqual(24)
  })
})

describe('mode manual', () => {
  it('lists the allowed servers and the pins, and finds the rest', async () => {
    const client = await open({
      mode: 'manual',
      allowlist: ['radio'],
      pins: ['shop__recipe_create_7', 'forge::invoice_list_12'],
    })
    const names = upstreamNames(await client.toolNames())
    expect(names).toContain('shop__recipe_create_7')
    expect(names).toContain('forge__invoice_list_12')
    expect(names.filter((name) => name.startsWith('radio__'))).toHaveLength(6)
    expect(names).toHaveLength(8)
    expect(await client.search(['forge branch export 51'])).toContain('forge__branch_export_51')
  })

  it('defers what is not allowed even where the catalog is small', async () => {
    const servers = stage.serve({ a: generatedCatalog('a', { tools: 3 }), b: generatedCatalog('b', { tools: 3 }) })
    const client = await stage.open(servers, { settings: { mode: 'manual', allowlist: ['b'] } })
    const names = await client.toolNames()
    expect(names).toContain('IndexCall')
    expect(upstreamNames(names)).toEqual(['b__issue_create_0', 'b__branch_create_1', 'b__invoice_create_2'])
    expect(await client.text('IndexCall', { name: 'a__issue_create_0', a_0: 1, from_3: 1, with_3: 1, for_3: 1 })).toContain(
      'issue_create_0',
    )
  })
})

describe('pins', () => {
  it('come before all others, and those without room or without a tool are reported', async () => {
    const pins = ['shop__recipe_create_7', 'big__monster', 'nobody__nothing']
    const monster = { name: 'monster', inputSchema: { type: 'object', properties: { all: { enum: manyValues() } } } }
    const servers = stage.serve({ ...CATALOGS, big: { tools: [monster] } })
    const client = await stage.open(servers, { settings: { pins, maxTools: 3 } })
    const names = upstreamNames(await client.toolNames())
    expect(names).toHaveLength(3)
    expect(names).toContain('shop__recipe_create_7')
    expect(await client.catalog()).toMatchObject({ unfitPins: ['big__monster'], unknownPins: ['nobody__nothing'] })
    expect(await client.search(['monster'])).toContain('big__monster')
  })

  const manyValues = () => Array.from({ length: 2_000 }, (_, at) => `value ${at}`)
})

describe('budgets', () => {
  it.each([
    [{ maxTools: 7 }, 7, 6_000],
    [{ contextBudget: 1_500 }, 24, 1_500],
    [{ maxTools: 0 }, 0, 6_000],
    [{ contextBudget: 10 }, 0, Infinity],
  ])('of %j hold', async (settings, most, tokens) => {
    const client = await open(settings)
    const text = await client.toolsText()
    expect(upstreamNames(namesIn(text)).length).toBeLessThanOrEqual(most)
    expect(tokensOf(text)).toBeLessThanOrEqual(tokens)
    expect((await client.catalog()).toolTokens).toBe(tokensOf(text))
    await client.search(['forge branch export 51'])
    expect(upstreamNames(await client.toolNames()).length).toBeLessThanOrEqual(most)
    expect(await client.text('IndexCall', { name: 'forge__branch_export_51' })).toContain('Missing')
  })

  it('hold by flag, too', async () => {
    const client = await open({ maxTools: 20 }, ['--max-tools', '4'])
    expect(upstreamNames(await client.toolNames())).toHaveLength(4)
  })
})

describe('disclosure', () => {
  it('lists stubs with an open schema; reading gives the whole', async () => {
    const client = await open({ disclosure: true })
    const stubs = (await client.entries('tools')).slice(3)
    expect(stubs).toHaveLength(24)
    for (const stub of stubs) {
      expect(tokensOf(stub)).toBeLessThanOrEqual(70)
      expect(JSON.parse(stub)).toMatchObject({ inputSchema: { type: 'object' } })
    }
    const { name, description } = JSON.parse(stubs[0] ?? '') as { name: string; description: string }
    const label = /IndexRead\("([^"]+)"\)/.exec(description)?.[1] ?? ''
    const whole = await client.text('IndexRead', { label })
    expect(whole).toContain('"additionalProperties"')
    expect(await client.text('IndexCall', { name })).toContain(`IndexRead(label="${label}")`)
  })
})

describe('the names of the gateway’s tools', () => {
  it('are the configured ones in lists, instructions, hits and errors', async () => {
    const client = await open({ context: { searchTool: 'find', readTool: 'show', callTool: 'run' } })
    expect((await client.toolNames()).slice(0, 3)).toEqual(['find', 'show', 'run'])
    const given = await client.given()
    const hits = await client.text('find', { queries: ['forge branch export 51'] })
    const said = [...given, hits, await client.text('run', {})].join('\n')
    expect(said).toContain('run(name="forge__branch_export_51"')
    expect(said).not.toMatch(/Index(Search|Read|Call)/)
  })
})

describe('a catalog that is not indexed', () => {
  it('is listed whole, and compressed all the same', async () => {
    const settings = { context: { catalog: { enabled: false } }, descriptionBudget: 20 }
    const client = await open(settings)
    expect(upstreamNames(await client.toolNames())).toHaveLength(126)
    const whole = await open({ mode: 'off' })
    expect(tokensOf(await client.toolsText())).toBeLessThan(tokensOf(await whole.toolsText()) / 1.3)
    expect((await client.catalog()).indexed).toBe(false)
  })
})
