/** What clients of different LLM APIs see of one and the same tool. */
import { afterEach, describe, expect, it } from 'vitest'
import { type CatalogClient, type CatalogRun, CatalogStage } from '../support/catalog-stage.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const FETCH = {
  name: 'fetch',
  description: 'Fetches.',
  inputSchema: {
    type: 'object',
    properties: { mode: { const: 'raw' }, limit: { type: 'integer', exclusiveMinimum: 0 } },
    anyOf: [{ required: ['url'], properties: { url: { type: 'string' } } }, { required: ['limit'] }],
  },
}
const open = (run: CatalogRun) => stage.open(stage.serve({ web: { tools: [FETCH] } }), run)

async function listed(client: CatalogClient): Promise<typeof FETCH> {
  const tools = JSON.parse(await client.toolsText()) as (typeof FETCH)[]
  return tools.find(({ name }) => name === 'web__fetch' || name === 'fetch')!
}

async function lowered(client: CatalogClient): Promise<unknown> {
  const { result } = await client.raw.ask('resources/read', { uri: 'sluice://servers' })
  const [content] = (result?.['contents'] ?? []) as { text: string }[]
  return (JSON.parse(content?.text ?? '{}') as { servers: { lowered?: unknown }[] }).servers[0]?.lowered
}

describe('a tool with alternatives at its root', () => {
  it.each(['claude-code', 'codex-mcp-client', 'any client'])(
    'is one plain object for %s, and else as it was',
    async (clientName) => {
      const { description, inputSchema } = await listed(await open({ clientName }))
      expect(description).toBe('Fetches. Needs url, or limit.')
      expect(inputSchema).not.toHaveProperty('anyOf')
      expect(inputSchema.properties).toMatchObject({ mode: { enum: ['raw'] }, limit: { exclusiveMinimum: 0 } })
    },
  )

  it('is written in the words of the API for gemini-cli, which the resource tells', async () => {
    const client = await open({ clientName: 'gemini-cli-mcp-client' })
    const { inputSchema } = await listed(client)
    expect(inputSchema.properties).toMatchObject({
      mode: { type: 'string', enum: ['raw'] },
      limit: { type: 'integer', minimum: 1 },
    })
    expect(await lowered(client)).toContainEqual({
      what: 'exclusiveMinimum written as minimum',
      why: "Gemini's API has no such keyword",
      tools: 1,
      such: ['fetch'],
    })
  })

  it('stays as it was with dialect none', async () => {
    const client = await open({ settings: { dialect: 'none' } })
    expect(await listed(client)).toEqual({ ...FETCH, name: 'web__fetch' })
    expect(await lowered(client)).toBeUndefined()
  })

  it('is lowered as an override for the client says', async () => {
    const client = await open({ clientName: 'my-agent', settings: { clients: { 'my-*': { dialect: 'gemini' } } } })
    expect((await listed(client)).inputSchema.properties).toMatchObject({ limit: { minimum: 1 } })
  })

  it('passes as it is where everything does, unless a dialect is asked for', async () => {
    const proxy = { naming: 'bare', context: { responses: { enabled: false } } }
    expect(await listed(await open({ clientName: 'claude-code', settings: proxy }))).toEqual(FETCH)
    expect(await listed(await open({ clientName: 'claude-code', settings: { mode: 'off' } }))).toEqual({
      ...FETCH,
      name: 'web__fetch',
    })
    const asked = await listed(await open({ settings: { ...proxy, dialect: 'openai' } }))
    expect(asked.inputSchema).not.toHaveProperty('anyOf')
  })

  it('gets the arguments as they are sent', async () => {
    const client = await open({ clientName: 'gemini-cli-mcp-client' })
    expect(await client.text('web__fetch', { limit: -1, mode: 'other', more: [[1]] })).toContain(
      JSON.stringify({ limit: -1, mode: 'other', more: [[1]] }),
    )
  })
})
