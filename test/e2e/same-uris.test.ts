/** Two servers with the same resource URIs: both are listed, and a read never answers from the wrong one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStdioGateway, packaged, type StdioGateway } from '../support/gateway.js'

const DYNAMIC = /^demo:\/\/resource\/dynamic\/text\/\d+$/

describe('two servers with the same URIs', () => {
  let gateway: StdioGateway
  beforeAll(async () => {
    gateway = await openStdioGateway(
      { one: packaged('mcp-server-everything', 'stdio'), two: packaged('mcp-server-everything', 'stdio') },
      { initWait: 10_000, mode: 'off' },
    )
  })
  afterAll(() => gateway.close())

  it('are both listed, the second one’s under its namespace, and each is read where it came from', async () => {
    const { resources } = await gateway.client.listResources()
    const uris = resources.map((resource) => resource.uri)
    expect(new Set(uris).size).toBe(uris.length)
    const namespaced = uris.filter((uri) => uri.startsWith('sluice://server/two/'))
    expect(namespaced).toHaveLength(uris.length / 2)
    const [first = ''] = namespaced
    const { contents } = await gateway.client.readResource({ uri: first })
    expect(contents[0]?.uri).toBe(first)
  })

  it('name their own resources in links, whichever is asked', async () => {
    const linked = async (server: string) => {
      const { content } = await gateway.client.callTool({ name: `${server}__get-resource-links`, arguments: { count: 3 } })
      return (content as { type: string; uri?: string }[]).flatMap((block) =>
        block.type === 'resource_link' ? [block.uri ?? ''] : [],
      )
    }
    const own = (await linked('one')).filter((uri) => DYNAMIC.test(uri))
    expect(own.length).toBeGreaterThan(0)
    const other = await linked('two')
    expect(other.every((uri) => uri.startsWith('sluice://server/two/demo://resource/'))).toBe(true)
    const [uri = ''] = other
    const { contents } = await gateway.client.readResource({ uri })
    expect(contents[0]?.uri).toBe(uri)
  })
})
