/** Output diet through a real gateway: minified, cut with all of it in the index, images scaled, and nothing where it is not asked for. */
import { createRequire } from 'node:module'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type sharpModule from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture, openStdioGateway, readAll, type StdioGateway } from '../support/gateway.js'

const content = fixture('content-server.js')
const LINES = Array.from({ length: 300 }, (_, n) => `line ${n + 1} plain`).join('\n')

let indexing: StdioGateway
let plain: StdioGateway

beforeAll(async () => {
  const servers = {
    small: { ...content, output: { minify: true } },
    short: { ...content, output: { maxChars: 1000, minify: true } },
    image: { ...content, images: { scale: 0.5 } },
    other: content,
  }
  indexing = await openStdioGateway(servers)
  plain = await openStdioGateway(servers, { context: { responses: { enabled: false } } })
})
afterAll(() => Promise.all([indexing.close(), plain.close()]))

describe('a server whose entry asks for a diet', () => {
  it('has its JSON minified, small and large, exactly', async () => {
    for (const count of [2, 40_000]) {
      const json = `[${Array.from({ length: count }, () => ' 1.0 ,\n 1e400').join(',')} ]`
      const least = `[${Array.from({ length: count }, () => '1.0,1e400').join(',')}]`
      expect(textOf(await raw(plain, 'small', textResult(json)))).toBe(least)
    }
  })

  it('has what is minified indexed', async () => {
    const json = JSON.stringify({ list: Array.from({ length: 2000 }, (_, n) => ({ n, name: `item ${n}` })) }, null, 4)
    const receipt = textOf(await raw(indexing, 'small', textResult(json)))
    expect(receipt).toContain(`[Response compressed — ${JSON.stringify(JSON.parse(json)).length} bytes`)
  })

  it('has long text cut, and all of it in the index', async () => {
    const result = (await indexing.client.callTool({ name: 'short__lines', arguments: { count: 300 } })) as CallToolResult
    const cut = textOf(result)
    const label = /indexed as "([^"]+)"/.exec(cut)?.[1] ?? ''
    expect(label).toMatch(/^short__lines:\d+$/)
    expect(cut).toContain(`[… ${LINES.length - 1000} of ${LINES.length} characters are left out here`)
    expect(cut.startsWith(LINES.slice(0, 690))).toBe(true)
    expect(cut.endsWith(LINES.slice(-290))).toBe(true)
    expect((await readAll(indexing.client, label, 300)).join('\n')).toBe(LINES)
    const found = await indexing.client.callTool({ name: 'IndexSearch', arguments: { queries: ['line 150'], source: label } })
    expect(textOf(found as CallToolResult)).toContain('line 150 plain')
  })

  it('has what is above the threshold as a receipt all the same', async () => {
    const result = await indexing.client.callTool({ name: 'short__lines', arguments: { count: 3000 } })
    expect(textOf(result as CallToolResult)).toMatch(/^\[Response compressed/)
  })

  it('has long text cut by the calling tool too, and in a large frame without an index', async () => {
    for (const count of [300, 30_000]) {
      const result = await plain.client.callTool({ name: 'short__lines', arguments: { count } })
      expect(textOf(result as CallToolResult)).toMatch(
        /^line 1 plain\n[\s\S]*\n\[… \d+ of \d+ characters were cut out here .*\]\n[\s\S]*plain$/,
      )
      expect(textOf(result as CallToolResult).length).toBeLessThan(1100)
    }
  })

  it('has its images scaled', async () => {
    const sharp = createRequire(import.meta.url)('sharp') as typeof sharpModule
    const png = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const json = JSON.stringify({ content: [{ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }] })
    const [block] = (await raw(indexing, 'image', json)).content
    const data = block?.type === 'image' ? block.data : ''
    expect(await sharp(Buffer.from(data, 'base64')).metadata()).toMatchObject({ width: 10, height: 5 })
    expect((await raw(indexing, 'other', json)).content).toEqual(JSON.parse(json).content)
  })

  it('passes errors and short results as they are', async () => {
    const json = '{"content":[{"type":"text","text":"short"}],"isError":true,"_meta":{"k":[1, 2]},"new":{"a": 1}}'
    for (const server of ['small', 'short', 'image']) expect(await raw(indexing, server, json)).toEqual(JSON.parse(json))
    await expect(indexing.client.callTool({ name: 'short__nothing' })).resolves.toMatchObject({ isError: true })
  })
})

it('leaves a server whose entry does not ask for it alone', async () => {
  const json = textResult('[ 1, 2 ]')
  expect(await raw(indexing, 'other', json)).toEqual(JSON.parse(json))
  const long = await plain.client.callTool({ name: 'other__lines', arguments: { count: 300 } })
  expect(textOf(long as CallToolResult)).toBe(LINES)
})

// --- internal ---

async function raw({ client }: StdioGateway, server: string, json: string): Promise<CallToolResult> {
  return (await client.callTool({ name: `${server}__raw`, arguments: { json } })) as CallToolResult
}

function textResult(text: string): string {
  return JSON.stringify({ content: [{ type: 'text', text }] })
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : ''
}
