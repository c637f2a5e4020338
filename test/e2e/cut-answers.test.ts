/** Answers that are cut off or broken never reach the client: the call fails with the server's name and the cause. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, fixture, openStdioGateway, type StdioGateway } from '../support/gateway.js'

describe.each([true, false])('a server whose answers are cut off, with indexing %s', (enabled) => {
  let gateway: StdioGateway
  beforeAll(async () => {
    gateway = await openStdioGateway({ cut: fixture('cut-server.js') }, { context: { responses: { enabled } } })
  })
  afterAll(() => gateway.close())

  it.each([
    ['half', /server "cut" exited with code 0/],
    ['halfLine', /server "cut": answered with what is no valid message/],
    ['badEscape', /server "cut": answered with what is no valid message/],
    ['trailing', /server "cut": answered with what is no valid message/],
    ['bare', /server "cut": answered with what is no valid message/],
    ['halfBig', /server "cut" was killed by SIGKILL/],
    ['halfBigLine', /server "cut": answered with what is no valid message/],
  ])('fails the call that gets %s, and goes on', async (tool, cause) => {
    await expect(callText(gateway.client, `cut__${tool}`)).rejects.toThrow(cause)
    expect(await callText(gateway.client, 'cut__whole')).toBe('fine')
  })
})

describe('a resource that no list has', () => {
  it('is read from the server whose link named it, though another would answer too', async () => {
    const gateway = await openStdioGateway({
      one: fixture('cut-server.js', 'same', 'of one'),
      two: fixture('cut-server.js', 'same', 'of two'),
    })
    const linked = async (server: string) => {
      const { content } = await gateway.client.callTool({ name: `${server}__link`, arguments: {} })
      return (content as { uri: string }[])[0]?.uri ?? ''
    }
    const read = async (uri: string) => {
      const [entry] = (await gateway.client.readResource({ uri })).contents
      return { uri: entry?.uri, text: entry && 'text' in entry ? entry.text : undefined }
    }
    const uris = [await linked('two'), await linked('one')]
    expect(uris).toEqual(['same://made/1', 'sluice://server/one/same://made/1'])
    expect(await read(uris[0] ?? '')).toEqual({ uri: uris[0], text: 'of two' })
    expect(await read(uris[1] ?? '')).toEqual({ uri: uris[1], text: 'of one' })
    await gateway.close()
  })

  it('is read from the server that knows it', async () => {
    const gateway = await openStdioGateway({ one: fixture('cut-server.js', 'one'), two: fixture('cut-server.js', 'two') })
    for (const name of ['one', 'two']) {
      const { contents } = await gateway.client.readResource({ uri: `${name}://made-by-call/1` })
      expect(contents).toEqual([{ uri: `${name}://made-by-call/1`, text: `of ${name}://` }])
    }
    await expect(gateway.client.readResource({ uri: 'three://x' })).rejects.toThrow('no such thing')
    await gateway.close()
  })
})
