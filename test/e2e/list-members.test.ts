/** What list results have beside their entries reaches the client, and our own pages come with cursors that are told from others. */
import { afterEach, describe, expect, it } from 'vitest'
import { idOf, json, result, serve } from '../fixtures/http-servers.js'
import type { ServerEntry } from '../support/gateway.js'
import { Stage } from '../support/raw-gateway.js'

const stage = new Stage()
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await stage.close()
  for (const close of closing.splice(0)) await close()
})

/** A server that answers `tools/list` with these JSON texts of results, a page each. */
async function listing(...pages: string[]): Promise<ServerEntry> {
  const facts = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'lists', version: '1' } }
  const server = await serve((req, res, body) => {
    if (req.method !== 'POST') res.writeHead(405).end()
    else if (idOf(body) === undefined) res.writeHead(202).end()
    else if (body.includes('"method":"initialize"')) json(res, result(idOf(body), facts))
    else {
      const page = /"cursor":"(\d)"/.exec(body)?.[1] ?? '0'
      json(res, `{"jsonrpc":"2.0","id":${idOf(body)},"result":${pages[Number(page)]}}`)
    }
  })
  closing.push(server.close)
  return { url: server.url }
}

const FIRST = '{"tools":[{"name":"a"},{"name":"b"}],"_meta":{ "k":1.0, "big":12345678901234567890 },"x":[ 1e0 ]}'
const PAGED = `${FIRST.slice(0, -1)},"nextCursor":"1"}`

describe('what a list result has beside its entries', () => {
  it('is passed on to the byte when one server has the list', async () => {
    const client = await stage.ready('stdio', { one: await listing(FIRST) })
    expect(await client.request('tools/list', {}, 7)).toBe(`{"jsonrpc":"2.0","id":7,"result":${FIRST}}`)
  })

  it('is that of the first page of a server that has several', async () => {
    const client = await stage.ready('stdio', { one: await listing(PAGED, '{"tools":[{"name":"c"}],"_meta":{"k":2},"y":1}') })
    const all = FIRST.replace('{"name":"b"}', '{"name":"b"},{"name":"c"}')
    expect(await client.request('tools/list', {}, 7)).toBe(`{"jsonrpc":"2.0","id":7,"result":${all}}`)
  })

  it('is joined when several servers have the list', async () => {
    const second = '{"tools":[{"name":"c"}],"_meta":{"k":2,"only":"second"},"x":2,"y":3}'
    const client = await stage.ready('stdio', { one: await listing(FIRST), two: await listing(second) })
    const { result: merged } = await client.ask('tools/list', {})
    expect(merged).toMatchObject({ _meta: { k: 1, only: 'second' }, x: [1], y: 3 })
  })

  it('is on the first of our own pages; a cursor that is none of ours is invalid', async () => {
    const settings = { naming: 'bare', pageSize: 1, context: { responses: { enabled: false } } }
    const client = await stage.ready('stdio', { one: await listing(FIRST) }, settings)
    const first = (await client.ask('tools/list', {})).result
    expect(first).toMatchObject({ tools: [{ name: 'a' }], x: [1] })
    const second = (await client.ask('tools/list', { cursor: first?.['nextCursor'] })).result
    expect(second).toEqual({ tools: [{ name: 'b' }] })
    for (const cursor of ['sluice-1', '1', '']) {
      expect((await client.ask('tools/list', { cursor })).error?.code).toBe(-32602)
    }
  })
})
