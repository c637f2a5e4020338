/** Catalogs that are listed whole: what lands late is told, what is asked for is counted, what is listed as stubs can be read. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CatalogStage, tokensOf, upstreamNames } from '../support/catalog-stage.js'
import { fixture } from '../support/gateway.js'
import { generatedCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const TOOLS_CHANGED = 'notifications/tools/list_changed'
const SMALL = { shop: generatedCatalog('shop', { tools: 3 }) }
const NO_RESPONSES = { context: { responses: { enabled: false } } }

describe('a small catalog', () => {
  it('is told of anew when a server lands after the first list', async () => {
    const late = fixture('wayward-server.js', '--start-delay', '1500')
    const client = await stage.open({ ...stage.serve(SMALL), late }, { settings: { initWait: 0, listWait: 700 } })
    const first = upstreamNames(await client.toolNames())
    expect(first).not.toContain('late__echo')
    await client.raw.seen(TOOLS_CHANGED)
    expect(upstreamNames(await client.toolNames())).toContain('late__echo')
    expect(await client.text('late__echo', { a: 1 })).toBeDefined()
  })

  it('is there with a usage file of no bytes, as another process may have just made it', async () => {
    for (let turn = 0; turn < 3; turn++) {
      const home = stage.folder()
      mkdirSync(join(home, 'data/sluice'), { recursive: true })
      writeFileSync(join(home, 'data/sluice/usage.db'), '')
      const client = await stage.open(stage.serve(SMALL), { home })
      expect(upstreamNames(await client.toolNames())).toHaveLength(3)
      await client.close()
    }
  })

  it('says what it costs', async () => {
    const client = await stage.open(stage.serve(SMALL))
    const text = await client.toolsText()
    expect(await client.catalog()).toMatchObject({ indexed: false, toolTokens: tokensOf(text) })
    expect(await client.toolsText()).toBe(text)
  })

  it('has a tool to read its stubs with, though responses are not indexed', async () => {
    const client = await stage.open(stage.serve(SMALL), { settings: { disclosure: true, ...NO_RESPONSES } })
    const tools = (await client.entries('tools')).map((text) => JSON.parse(text) as { name: string; description: string })
    expect(tools.map(({ name }) => name)).toContain('IndexRead')
    const stub = tools.find(({ name }) => name.startsWith('shop__'))
    const label = /IndexRead\("([^"]+)"\)/.exec(stub?.description ?? '')?.[1] ?? ''
    expect(await client.text('IndexRead', { label })).toContain('inputSchema')
  })

  it('says which list of a server could not be read', async () => {
    const client = await stage.open({ ...stage.serve(SMALL), bad: fixture('wayward-server.js', '--tools-fail') })
    await client.toolNames()
    const { result } = await client.raw.ask('resources/read', { uri: 'sluice://servers' })
    expect(JSON.stringify(result)).toMatch(/listFaults.{1,30}tools.{1,60}no tools today/)
  })
})
