/** Whatever is not listed stays in reach: by its name, by the calling tool, by label; and a refusal says what was wanted. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type CatalogClient, CatalogStage, dataServers, type Servers, textIn, upstreamNames } from '../support/catalog-stage.js'
import type { Catalog } from '../support/catalogs.js'
import { DATA } from '../support/gateway.js'
import { generatedCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

interface KnownTool {
  readonly exposed: string
  readonly name: string
  readonly required: readonly string[]
}

/** All tools of the servers with the names that clients know them by, as mode off lists them. */
async function toolsBehind(servers: Servers, home: string): Promise<KnownTool[]> {
  const client = await stage.open(servers, { home, settings: { mode: 'off' } })
  const exposed = upstreamNames(await client.toolNames())
  await client.close()
  const tools = Object.values(servers).flatMap((entry) => catalogOf(entry.args).tools ?? [])
  expect(exposed).toHaveLength(tools.length)
  return tools.map((tool, at) => {
    const { name, inputSchema } = tool as { name: string; inputSchema?: { required?: string[] } }
    return { name, exposed: exposed[at] ?? '', required: inputSchema?.required ?? [] }
  })
}

function catalogOf(args: readonly string[] = []): Catalog {
  return JSON.parse(readFileSync(args[1] ?? '', 'utf8')) as Catalog
}

const echoOf = (name: string, args: object) => JSON.stringify({ name, arguments: args })

/** Each hidden tool is called in every way there is; the server says what reached it. */
async function expectAllReached(servers: Servers): Promise<void> {
  const home = stage.folder()
  const known = await toolsBehind(servers, home)
  const client = await stage.open(servers, { home })
  const listed = new Set(await client.toolNames())
  const hidden = known.filter(({ exposed }) => !listed.has(exposed))
  expect(hidden.length).toBeGreaterThan(100)
  for (const { exposed, name, required } of hidden) {
    const args = Object.fromEntries(required.map((key) => [key, `a "${key}"`]))
    const echo = echoOf(name, args)
    expect(await client.text(exposed, args)).toBe(echo)
    expect(await client.text('IndexCall', { name: exposed, arguments: args })).toBe(echo)
    expect(await client.text('IndexCall', { name: exposed, arguments: JSON.stringify(args) })).toBe(echo)
    if (!required.includes('name')) expect(await client.text('IndexCall', { name: exposed, ...args })).toBe(echo)
  }
  await expectRefusals(client, hidden)
}

async function expectRefusals(client: CatalogClient, hidden: readonly KnownTool[]): Promise<void> {
  const demanding = hidden.filter(({ required }) => required.length > 0)
  expect(demanding.length).toBeGreaterThan(50)
  for (const { exposed, required } of demanding) {
    const byName = await client.raw.call(exposed, {})
    const { error } = await client.raw.call('IndexCall', { name: exposed, arguments: {} })
    expect(byName.error).toEqual(error)
    expect(error).toMatchObject({ code: -32602 })
    expect(error?.message).toContain(`Missing: ${required.join(', ')}`)
    expect(error?.message).toMatch(/\n\n(?:Parameters of|Read the parameters of) /)
    if (error?.message.includes('\n\nParameters of')) for (const key of required) expect(error.message).toContain(`"${key}"`)
  }
}

describe('a tool that is not listed', () => {
  it('is called by its name and by IndexCall with an object, a string or flat arguments', async () => {
    await expectAllReached(
      stage.serve({
        shop: generatedCatalog('shop', { tools: 70 }),
        'a-server-with-a-name-that-is-too-long-for-clients': generatedCatalog('long', { tools: 70, words: 60 }),
        forge: generatedCatalog('forge', { tools: 30, parameters: 9 }),
      }),
    )
  })

  it.runIf(DATA)('is so with six real servers (needs SLUICE_DATA)', async () => {
    await expectAllReached(dataServers(['linear', 'everything', 'firecrawl', 'clarity', 'filesystem', 'git-cyanheads']))
  })

  it('has a label with the name it has, in any script', async () => {
    const names = ['問題を作る', 'Größe messen', 'a"b']
    const tools = names.map((name) => ({ name, description: 'x'.repeat(8_000), inputSchema: { type: 'object' } }))
    const client = await stage.open(stage.serve({ one: { tools } }))
    for (const name of names) {
      const label = `mcp/one/tool/${name}`
      expect(await client.text('IndexRead', { label })).toContain(JSON.stringify(name).slice(1, -1))
      expect(await client.text('IndexCall', { name: label, arguments: { a: 1 } })).toBe(echoOf(name, { a: 1 }))
    }
  })

  it('takes arguments to the byte, and those of the name of the envelope', async () => {
    const tools = [{ name: 'odd', description: 'x'.repeat(20_000), inputSchema: { type: 'object' } }]
    const client = await stage.open(stage.serve({ one: { tools }, two: generatedCatalog('two', { tools: 60 }) }))
    const args = { arguments: 'mine', constructor: 1, deep: { name: 'kept', arguments: [1] } }
    expect(await client.text('IndexCall', { name: 'one__odd', arguments: args })).toBe(echoOf('odd', args))
    expect(await client.text('IndexCall', { name: 'one__odd', arguments: 'mine', b: 2 })).toBe(
      echoOf('odd', { arguments: 'mine', b: 2 }),
    )
    const twice = JSON.stringify(JSON.stringify({ name: 'inner' }))
    expect(await client.text('IndexCall', { name: 'one__odd', arguments: twice })).toBe(echoOf('odd', { name: 'inner' }))
  })

  it('is called by its label, too; a wrong name is answered with the nearest', async () => {
    const client = await stage.open(stage.serve({ shop: generatedCatalog('shop', { tools: 90 }) }))
    const args = { the_0: 1, for_3: 2 }
    expect(await client.text('IndexCall', { name: 'mcp/shop/tool/recipe_create_7', arguments: args })).toContain(
      'recipe_create_7',
    )
    expect(await client.text('IndexCall', { name: 'shop__recipe_creat_7' })).toContain('"shop__recipe_create_7"')
    const { result } = await client.raw.call('IndexCall', { name: 'IndexCall', arguments: {} })
    expect(result).toMatchObject({ isError: true })
    expect(await client.text('IndexCall', {})).toContain('name: is missing')
  })
})

describe('prompts and resources that are not listed', () => {
  const servers = () =>
    stage.serve({
      store: generatedCatalog('store', { tools: 30, resources: 300, prompts: 120 }),
      other: generatedCatalog('other', { tools: 30 }),
    })

  it('are found by a search and give their messages and contents by label', async () => {
    const client = await stage.open(servers())
    const listed = (await client.entries('resources')).join('')
    expect(listed).not.toContain('store://record/211"')
    expect(await client.search(['record 211'])).toContain('mcp/store/resource/')
    expect(await client.search(['ask_contract_create_109'], { source: 'mcp/store/prompt/' })).toContain(
      'IndexCall(name="mcp/store/prompt/ask_contract_create_109")',
    )
    expect(await client.text('IndexCall', { name: 'mcp/store/prompt/ask_contract_create_109' })).toBe(
      '[user]\nprompt ask_contract_create_109',
    )
    const label = /"(mcp\/store\/resource\/[^"]*211[^"]*)"/.exec(await client.search(['record 211']))?.[1] ?? ''
    expect(await client.text('IndexCall', { name: label })).toBe('read store://record/211')
  })

  it('are read and got by their own names', async () => {
    const client = await stage.open(servers())
    const read = await client.raw.ask('resources/read', { uri: 'store://record/299' })
    expect(read.result).toMatchObject({ contents: [{ text: 'read store://record/299' }] })
    const got = await client.raw.ask('prompts/get', { name: 'store__ask_contract_create_109' })
    expect(JSON.stringify(got.result)).toContain('prompt ask_contract_create_109')
  })

  it('join their lists when they are found', async () => {
    const client = await stage.open(servers())
    const before = await client.entries('prompts')
    await client.search(['ask_contract_create_109'], { source: 'mcp/store/prompt/', limit: 1 })
    await client.raw.seen('notifications/prompts/list_changed')
    const after = await client.entries('prompts')
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.join('')).toContain('ask_contract_create_109')
  })
})

describe('an excluded tool', () => {
  it('is neither listed, found, read nor called', async () => {
    const [name, entry] = Object.entries(stage.serve({ shop: generatedCatalog('shop', { tools: 90 }) }))[0] ?? ['', {}]
    const client = await stage.open({ [name]: { ...entry, exclude: ['recipe_*'] } })
    expect((await client.toolNames()).join()).not.toContain('recipe_')
    expect(client.instructions).not.toContain('recipe_')
    expect(await client.search(['recipe_create_7'])).not.toContain('shop__recipe_create_7')
    expect(await client.text('IndexRead', { label: 'mcp/shop/tool/recipe_create_7' })).not.toContain('inputSchema')
    for (const called of ['shop__recipe_create_7', 'mcp/shop/tool/recipe_create_7']) {
      const { result } = await client.raw.call('IndexCall', { name: called, arguments: {} })
      expect(result).toMatchObject({ isError: true })
    }
    const direct = await client.raw.call('shop__recipe_create_7')
    expect(textIn(direct)).toContain('is excluded by the configuration')
  })
})

describe('a client that asks for the list once', () => {
  it('loses nothing: every hit says how to call it at once, and that works', async () => {
    const client = await stage.open(
      stage.serve({ shop: generatedCatalog('shop', { tools: 90 }), forge: generatedCatalog('forge', { tools: 90 }) }),
    )
    await client.toolNames()
    for (const words of ['shop flight merge 48', 'forge sensor count 93', 'forge contract share 89']) {
      const found = await client.search([words], { source: 'mcp/', limit: 1 })
      const name = /IndexCall\(name="([^"]+)", arguments=\{\.\.\.\}\)/.exec(found)?.[1] ?? ''
      expect(name).toContain('__')
      const refusal = await client.text('IndexCall', { name })
      const missing = /Missing: (.*)/.exec(refusal)?.[1]?.split(', ') ?? []
      const args = Object.fromEntries(missing.map((key) => [key, 1]))
      expect(await client.text('IndexCall', { name, arguments: args })).toBe(echoOf(name.replace(/^.*?__/, ''), args))
    }
  })
})
