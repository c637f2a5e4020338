/** Every real response, of every kind of content: untouched below the threshold; above it, a true receipt and all of it to read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minifyJson } from '../../src/text/json-text.js'
import { DATA, fixture, openStdioGateway, parseReceipt, readAll, type StdioGateway } from '../support/gateway.js'

const folder = join(DATA ?? '.', 'responses')
const files = DATA ? readdirSync(folder) : []
const FORMS = ['text', 'structured', 'both', 'resource'] as const
const NEVER = 100_000_000

describe.runIf(DATA)('the responses of the data set', () => {
  let direct: Client
  let indexing: StdioGateway
  let patient: StdioGateway

  beforeAll(async () => {
    const entry = fixture('content-server.js', folder)
    direct = new Client({ name: 'test', version: '1' })
    await direct.connect(new StdioClientTransport({ command: entry.command ?? '', args: [...(entry.args ?? [])] }))
    indexing = await openStdioGateway({ content: entry })
    patient = await openStdioGateway({ content: entry }, { context: { responses: { thresholdBytes: NEVER } } })
  })
  afterAll(() => Promise.all([direct.close(), indexing.close(), patient.close()]))

  const call = (client: Client, name: string, args: Record<string, unknown>) =>
    client.request({ method: 'tools/call', params: { name, arguments: args } }, anyResult) as Promise<CallToolResult>

  for (const file of files.filter((name) => !name.endsWith('.mcp.json'))) {
    it.each(FORMS)(`${file} as %s`, async (as) => {
      const original = await call(direct, 'file', { name: file, as })
      expect(await call(patient.client, 'content__file', { name: file, as })).toEqual(original)

      const result = await call(indexing.client, 'content__file', { name: file, as })
      expect(result.structuredContent).toBeUndefined()
      expect(result.content).toHaveLength(1)
      const text = result.content[0]?.type === 'text' ? result.content[0].text : ''
      await expectTrueReceipt(indexing.client, text, textOf(original, file, as))
    })
  }

  for (const file of files.filter((name) => name.endsWith('.mcp.json'))) {
    it(`${file} keeps every block that is not text`, async () => {
      const original = await call(direct, 'file', { name: file, as: 'result' })
      expect(await call(patient.client, 'content__file', { name: file, as: 'result' })).toEqual(original)
      const result = await call(indexing.client, 'content__file', { name: file, as: 'result' })
      const others = (blocks: CallToolResult['content']) => blocks.filter((block) => block.type !== 'text')
      expect(others(result.content)).toEqual(others(original.content))
    })
  }
})

// --- internal ---

const anyResult = { safeParse: (data: unknown) => ({ success: true, data }), parse: (data: unknown) => data } as never

/** The text that the fixture put in, by the form it was asked for. */
function textOf(original: CallToolResult, file: string, as: (typeof FORMS)[number]): string {
  const [block] = original.content
  if (block?.type === 'text') return block.text
  if (block?.type === 'resource' && 'text' in block.resource) return block.resource.text
  const content = readFileSync(join(folder, file), 'utf8')
  expect(as).toBe('structured')
  try {
    const value: unknown = JSON.parse(content)
    const flat = content.replaceAll(/[\r\n]/g, ' ').trim()
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? flat : `{"value":${flat}}`
  } catch {
    return JSON.stringify({ value: content })
  }
}

async function expectTrueReceipt(client: Client, receipt: string, original: string): Promise<void> {
  const facts = parseReceipt(receipt)
  if (!facts) throw new Error(`no receipt: ${receipt.slice(0, 200)}`)
  const { label, lines } = facts
  expect(facts.bytes).toBe(Buffer.byteLength(original))
  expect(receipt).toContain(`\nRead all of it: IndexRead(label="${label}", limit=${lines})\n`)
  expect(receipt).toContain(`\nRead a range:   IndexRead(label="${label}", offset="<line>", limit=<lines>)\n`)
  expect(receipt.endsWith(`\nSearch it:      IndexSearch(queries=["<terms>"], source="${label}")`)).toBe(true)
  expect(receipt).toMatch(new RegExp(`\\n\\[… preview ends at line \\d+ of ${lines}\\]\\n\\n## Contents\\n- \\[L\\d+\\] `))
  expect(Buffer.byteLength(receipt)).toBeLessThan(8192)

  const read = await readAll(client, label, lines)
  expect(read).toHaveLength(lines)
  const joined = read.join('\n')
  if (joined !== original && `${joined}\n` !== original) expect(minifyJson(joined)).toBe(minifyJson(original))

  const { contents } = (await client.request(
    { method: 'resources/read', params: { uri: `sluice://response/${label}` } },
    anyResult,
  )) as ReadResourceResult
  expect(contents.map((entry) => ('text' in entry ? entry.text : undefined))).toEqual([original])
}
