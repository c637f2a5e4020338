/** A session's list: calls change nothing, searches add at its end, and each client gets it the way it takes changes. */
import { afterEach, describe, expect, it } from 'vitest'
import {
  type CatalogClient,
  CatalogStage,
  dataServers,
  namesIn,
  type Servers,
  tokensOf,
  upstreamNames,
} from '../support/catalog-stage.js'
import { DATA, openHttpGateway } from '../support/gateway.js'
import { generatedCatalog } from '../support/generated-catalogs.js'
import { RawClient } from '../support/raw-client.js'
import { httpWire } from '../support/raw-wire.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const TOOLS_CHANGED = 'notifications/tools/list_changed'
const SEARCHES = 30
const CALLS_A_SEARCH = 2

const madeUp = () =>
  stage.serve(
    Object.fromEntries(
      ['shop', 'forge', 'store', 'radio'].map((name) => [name, generatedCatalog(name, { tools: 60, words: 30 })]),
    ),
  )

/** What became of a list from one ask to the next. */
interface Change {
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  /** Bytes of the earlier list behind the first that is another. */
  readonly spoilt: number
}

function changeBetween(before: string, after: string): Change {
  const [old, now] = [namesIn(before), namesIn(after)]
  const dropped = old.filter((name) => !now.includes(name))
  const kept = old.filter((name) => now.includes(name))
  // What stays keeps its order, and what is new comes behind it.
  expect(now.slice(0, kept.length)).toEqual(kept)
  const open = before.slice(0, -1)
  let same = 0
  while (same < open.length && open[same] === after[same]) same++
  return { added: now.slice(kept.length), dropped, spoilt: Buffer.byteLength(open.slice(same)) }
}

/** Names in the hits of a search. */
const foundIn = (text: string) => [...text.matchAll(/IndexCall\(name="([^"]+__[^"]+)"/g)].map(([, name = '']) => name)

/** A session of 30 searches, each with two calls of what it found; what its lists went through. */
async function live(client: CatalogClient, queries: readonly string[]) {
  const called = new Set<string>()
  let list = await client.toolsText()
  const changes: Change[] = []
  for (const query of queries) {
    const found = foundIn(await client.search([query], { source: 'mcp/', limit: 2 }))
    const searched = await client.toolsText()
    const change = changeBetween(list, searched)
    expect(change.dropped.filter((name) => called.has(name))).toEqual([])
    changes.push(change)
    list = searched
    const targets = [...found, ...upstreamNames(namesIn(list))].slice(0, CALLS_A_SEARCH)
    for (const [at, name] of targets.entries()) {
      await (at % 2 === 0 ? client.text('IndexCall', { name, arguments: {} }) : client.text(name))
      called.add(name)
      expect(await client.toolsText()).toBe(list)
    }
    expect(tokensOf(list)).toBeLessThanOrEqual(6_000)
    expect(upstreamNames(namesIn(list)).length).toBeLessThanOrEqual(24)
  }
  return { changes, called, list }
}

describe('a session of 30 searches and 60 calls', () => {
  it('changes its list by its searches alone, and drops only what was never called', async () => {
    const servers = madeUp()
    const client = await stage.open(servers)
    const queries = Array.from({ length: SEARCHES }, (_, at) => `${['shop', 'forge', 'store', 'radio'][at % 4]} ${at + 20}`)
    const { changes, called } = await live(client, queries)
    expect(changes).toHaveLength(SEARCHES)
    expect(called.size).toBeGreaterThan(10)
    expect(changes.some(({ added }) => added.length > 0)).toBe(true)
    for (const { dropped, spoilt } of changes) if (dropped.length === 0) expect(spoilt).toBe(0)
  })

  it.runIf(DATA)('keeps most of the prefix with twenty real servers (needs SLUICE_DATA)', async () => {
    const names = [
      'github',
      'linear',
      'playwright',
      'notion',
      'firecrawl',
      'slack',
      'filesystem',
      'memory',
      'tavily',
      'netlify',
    ]
    const more = ['mobile', 'datadog', 'gmail', 'postgres', 'puppeteer', 'azure', 'exa', 'nx', 'currents', 'google-maps']
    const client = await stage.open(dataServers([...names, ...more]))
    const { changes, list } = await live(client, QUERIES)
    const spoilt = changes.reduce((sum, change) => sum + change.spoilt, 0)
    const calls = SEARCHES * CALLS_A_SEARCH
    // Of all that went out in 90 requests, so small a part was not as in the request before.
    expect(spoilt / (list.length * (SEARCHES + calls))).toBeLessThan(0.05)
  })
})

describe('activation', () => {
  const QUERY = 'radio contract share 59'
  const open = async (servers: Servers, clientName: string, activation?: string) =>
    stage.open(servers, { clientName, settings: activation === undefined ? {} : { activation } })

  it.each([
    ['auto', 'cursor', true],
    ['auto', 'claude-code', false],
    ['auto', 'Claude Code', false],
    ['on', 'claude-code', true],
    ['off', 'cursor', false],
  ])('%s for %s: %s', async (activation, clientName, changes) => {
    const client = await open(madeUp(), clientName, activation)
    const before = await client.toolsText()
    const found = await client.search([QUERY], { source: 'mcp/radio', limit: 1 })
    expect(found).toContain('radio__contract_export_59')
    if (changes) await client.raw.seen(TOOLS_CHANGED)
    const after = await client.toolsText()
    expect(after === before).toBe(!changes)
    expect(namesIn(after).includes('radio__contract_export_59')).toBe(changes)
    if (changes) expect(namesIn(after).at(-1)).toBe('radio__contract_export_59')
    else expect(client.raw.messages.map(({ method }) => method)).not.toContain(TOOLS_CHANGED)
    expect(await client.text('IndexCall', { name: 'radio__contract_export_59' })).toMatch(/Missing/)
  })

  it('comes of reading a label, too', async () => {
    const client = await open(madeUp(), 'cursor')
    await client.toolsText()
    await client.text('IndexRead', { label: 'mcp/radio/tool/contract_export_59' })
    await client.raw.seen(TOOLS_CHANGED)
    expect(namesIn(await client.toolsText()).at(-1)).toBe('radio__contract_export_59')
  })

  it('tells of many at once', async () => {
    const client = await open(madeUp(), 'cursor')
    await client.toolsText()
    await client.search(['shop 51', 'forge 52', 'store 53', 'radio 54'], { source: 'mcp/', limit: 1 })
    await client.raw.seen(TOOLS_CHANGED)
    await client.search(['nothing of this kind'], { source: 'mcp/shop/tool/nowhere' })
    expect(client.raw.messages.filter(({ method }) => method === TOOLS_CHANGED)).toHaveLength(1)
  })

  it('is each session’s own over HTTP', async () => {
    const settings = { initWait: 40_000, listWait: 40_000, clients: { 'small-*': { maxTools: 5, contextBudget: 2_500 } } }
    const gateway = await openHttpGateway(madeUp(), settings)
    const [large, small] = [new RawClient(httpWire(gateway.url.href)), new RawClient(httpWire(gateway.url.href))]
    try {
      const [a, b] = [await stage.connect(large, 'large'), await stage.connect(small, 'small-one')]
      const before = await b.toolsText()
      expect(upstreamNames(namesIn(before)).length).toBeLessThanOrEqual(5)
      expect(tokensOf(before)).toBeLessThanOrEqual(2_500)
      expect(await b.catalog()).toMatchObject({ contextBudget: 2_500, toolTokens: tokensOf(before) })
      expect(upstreamNames(await a.toolNames()).length).toBeGreaterThan(5)
      await a.search([QUERY], { source: 'mcp/radio', limit: 1 })
      expect(await a.toolNames()).toContain('radio__contract_export_59')
      expect(await b.toolsText()).toBe(before)
    } finally {
      await stage.close()
      await gateway.close()
    }
  })
})

// --- internal ---

const QUERIES = [
  'create an issue',
  'merge a pull request',
  'take a screenshot of the page',
  'send a message to a channel',
  'search the web',
  'read a file',
  'write a file',
  'list branches',
  'crawl a site',
  'query the database',
  'find directions between two places',
  'deploy a site',
  'label an email',
  'click a button',
  'fill in a form',
  'add a comment',
  'assign a ticket',
  'remember an entity',
  'list monitors',
  'storage accounts',
  'create a page',
  'tap on the screen',
  'upload a document',
  'review comments',
  'list projects',
  'geocode an address',
  'cancel a workflow run',
  'start a new cycle',
  'delete a draft',
  'rename a folder',
]
