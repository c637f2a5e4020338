/** A tool that the configuration hides is told from one that does not exist, prefixed and bare. */
import { describe, expect, it } from 'vitest'
import { callText, fixture, openStdioGateway } from '../support/gateway.js'

describe('an excluded tool', () => {
  it.each([
    ['prefixed', 'content__echo', 'content__file'],
    ['bare', 'echo', 'file'],
  ])('is neither listed nor called with naming %s, and says so', async (naming, hidden, kept) => {
    const gateway = await openStdioGateway({ content: { ...fixture('content-server.js'), exclude: ['ec*'] } }, { naming })
    const names = (await gateway.client.listTools()).tools.map((tool) => tool.name)
    expect(names).toContain(kept)
    expect(names).not.toContain(hidden)
    expect(await callText(gateway.client, hidden, { message: 'x' })).toContain('is excluded by the configuration')
    if (naming === 'prefixed') expect(await callText(gateway.client, `${kept}x`)).toContain(`Did you mean "${kept}"?`)
    await gateway.close()
  })

  it('is not what a listed bare tool is taken for when it is called with its prefix', async () => {
    const gateway = await openStdioGateway(
      { content: fixture('content-server.js'), other: fixture('conformance-server.js') },
      { naming: 'bare' },
    )
    expect(await callText(gateway.client, 'content__echo')).toMatch(/^Unknown tool "content__echo"/)
    await gateway.close()
  })

  it('is told by its pattern where all other unknown names are the only server’s to answer', async () => {
    const gateway = await openStdioGateway(
      { content: { ...fixture('content-server.js'), exclude: ['ec*'] } },
      { naming: 'bare' },
    )
    expect(await callText(gateway.client, 'ecstatic')).toContain('is excluded by the configuration')
    await expect(gateway.client.callTool({ name: 'nope' })).rejects.toThrow('no such tool')
    await gateway.close()
  })
})
