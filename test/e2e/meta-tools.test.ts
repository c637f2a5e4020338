/** The tools under CtxSlim's names, on top of the index. */
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogStage, namesIn, tokensOf, upstreamNames } from '../support/catalog-stage.js'
import { generatedCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const ALL = ['search_tools', 'describe_tools', 'enable_tools', 'list_servers', 'slim_stats']
const CATALOGS = { shop: generatedCatalog('shop', { tools: 60 }), forge: generatedCatalog('forge', { tools: 60 }) }
const open = (settings: object = {}, clientName = 'raw') =>
  stage.open(stage.serve(CATALOGS), { settings: { metaTools: ALL, ...settings }, clientName })

describe('metaTools', () => {
  it('come behind the other own tools, as many as are asked for, and count in the budget', async () => {
    const client = await open()
    const text = await client.toolsText()
    expect(namesIn(text).slice(0, 8)).toEqual(['IndexSearch', 'IndexRead', 'IndexCall', ...ALL])
    const { toolTokens, contextBudget } = await client.catalog()
    expect(toolTokens).toBe(tokensOf(text))
    expect(toolTokens).toBeLessThanOrEqual(contextBudget ?? 0)
    const few = await open({ metaTools: ['list_servers'], mode: 'manual' })
    expect((await few.toolNames()).slice(2, 5)).toEqual(['IndexCall', 'list_servers'])
  })

  it('are none by default and where the catalog is passed on as it is', async () => {
    for (const settings of [{ metaTools: [] }, { mode: 'off' }]) {
      const client = await open(settings)
      expect((await client.toolNames()).filter((name) => ALL.includes(name))).toEqual([])
      expect(await client.text('slim_stats')).toContain('Unknown tool "slim_stats"')
    }
  })

  it('find tools, a line each, and say how to call them', async () => {
    const client = await open()
    const text = await client.text('search_tools', { query: 'forge branch export 51', limit: 3 })
    const lines = text.split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatch(/^- forge__branch_export_51 \(forge, not listed\): \S/)
    expect(lines[3]).toContain('IndexCall(name="<name>", arguments={...})')
    expect(upstreamNames(await client.toolNames())).not.toContain('forge__branch_export_51')
  })

  it('describe tools as their servers do, under the names to call them by', async () => {
    const client = await open()
    const text = await client.text('describe_tools', { names: ['forge__branch_export_51', 'shop__nothing'] })
    const [definition = '', unknown] = text.split('\n')
    const own = CATALOGS.forge.tools?.find((tool) => (tool as { name: string }).name === 'branch_export_51')
    expect(JSON.parse(definition)).toEqual({ ...own, name: 'forge__branch_export_51' })
    expect(unknown).toMatch(/^- shop__nothing: unknown/)
    expect(await client.text('describe_tools', 'branch_export_51')).toContain('names: is missing')
    expect(await client.text('describe_tools', { names: 'mcp/forge/tool/branch_export_51' })).toBe(definition)
  })

  it('enable tools whatever activation says, and say how to call them meanwhile', async () => {
    const client = await open({ activation: 'off' }, 'claude-code')
    const changed = client.raw.seen('notifications/tools/list_changed')
    await client.toolNames()
    const text = await client.text('enable_tools', { names: ['forge__branch_export_51'] })
    expect(text).toContain('- forge__branch_export_51: listed')
    expect(text).toContain('IndexCall')
    await changed
    expect((await client.toolNames()).at(-1)).toBe('forge__branch_export_51')
  })

  it('tell of the servers and of the numbers', async () => {
    const client = await open()
    const { servers } = JSON.parse(await client.text('list_servers')) as { servers: object[] }
    expect(servers).toMatchObject([
      { alias: 'shop', state: 'ready', tools: 60 },
      { alias: 'forge', state: 'ready', tools: 60 },
    ])
    expect(JSON.parse(await client.text('slim_stats'))).toEqual(await client.catalog())
  })

  it('are there in front of a small catalog, and keep their names from its tools', async () => {
    const servers = stage.serve({ one: { tools: [{ name: 'list_servers', inputSchema: { type: 'object' } }] } })
    const settings = {
      metaTools: ['list_servers', 'describe_tools'],
      naming: 'bare',
      context: { responses: { enabled: false } },
    }
    const client = await stage.open(servers, { settings })
    expect(await client.toolNames()).toEqual(['list_servers', 'describe_tools', 'one__list_servers'])
    expect(await client.text('list_servers')).toContain('"alias": "one"')
    expect(await client.text('describe_tools', { name: 'list_servers' })).toContain('"name":"one__list_servers"')
  })
})
