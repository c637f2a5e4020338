/** A server that is missing, crashes, writes garbage, floods, is slow or dies in a call: the others work, and the error names it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, fixture, openStdioGateway, type ServerEntry, type StdioGateway } from '../support/gateway.js'

const script = (source: string): ServerEntry => ({ command: process.execPath, args: ['-e', source] })

/** A good server that comes with something unpleasant. */
const besides = (nuisance: string): ServerEntry => {
  const { args = [] } = fixture('content-server.js')
  return script(`${nuisance}; import(${JSON.stringify(args[0])})`)
}

const STACK: Readonly<Record<string, ServerEntry>> = {
  good: fixture('content-server.js'),
  missing: { command: 'no-such-command-anywhere' },
  crashes: script('console.error("the license key is not valid"); process.exit(7)'),
  garbage: besides('setInterval(() => console.log("garbage on stdout {"), 1); console.log("{\\"jsonrpc\\":\\"2.0\\",")'),
  floods: besides('const chunk = "x".repeat(65536); setInterval(() => process.stderr.write(chunk), 1)'),
  slow: script(`setTimeout(() => import(${JSON.stringify(fixture('content-server.js').args?.[0])}), 4000)`),
  hasty: { ...fixture('content-server.js'), callTimeout: 300 },
  deaf: { ...script('setInterval(() => {}, 1000)'), connectTimeout: 700 },
}

describe('a stack with broken servers in it', () => {
  let gateway: StdioGateway
  beforeAll(async () => {
    gateway = await openStdioGateway(STACK, { listWait: 1500 })
  })
  afterAll(() => gateway.close())

  const fails = async (name: string) => {
    const error = await gateway.client.callTool({ name, arguments: {} }).then(
      (result) => new Error(JSON.stringify(result)),
      (thrown: Error) => thrown,
    )
    return error.message
  }

  it('lists and calls the good ones while others are still out', async () => {
    const { tools } = await gateway.client.listTools()
    const names = tools.map((tool) => tool.name)
    expect(names).toContain('good__echo')
    expect(names).not.toContain('slow__echo')
    expect(await callText(gateway.client, 'good__echo', { message: 'here' })).toBe('here')
  })

  it('names the server and the cause when its command is missing', async () => {
    expect(await fails('missing__any')).toMatch(/"missing".*no-such-command-anywhere/s)
  })

  it('names the server, its exit code and its last words when it crashes at start', async () => {
    expect(await fails('crashes__any')).toMatch(/"crashes".*code 7.*the license key is not valid/s)
  })

  it('names the server and the time when it never answers', async () => {
    expect(await fails('deaf__any')).toMatch(/"deaf".*700 ms/s)
  })

  it('tells what to do, in the message: it is all that a model sees', async () => {
    expect(await fails('missing__any')).toContain('check its command and PATH')
    expect(await fails('crashes__any')).toContain('mend what it says')
    expect(await fails('deaf__any')).toMatch(/raise its connectTimeout\)$/)
    const slow = gateway.client.callTool({ name: 'hasty__sleep', arguments: { ms: 60_000 } })
    await expect(slow).rejects.toThrow(/did not answer within 300 ms.*raise its callTimeout\)$/)
  })

  it('reads past garbage on stdout', async () => {
    expect(await callText(gateway.client, 'garbage__echo', { message: 'clean' })).toBe('clean')
  })

  it('is not stopped by a flood of stderr', async () => {
    expect(await callText(gateway.client, 'floods__echo', { message: 'dry' })).toBe('dry')
  })

  it('lets a call wait for a server that is slow to start, and others pass it', async () => {
    const waiting = callText(gateway.client, 'slow__echo', { message: 'late' })
    expect(await callText(gateway.client, 'good__echo', { message: 'first' })).toBe('first')
    expect(await waiting).toBe('late')
  })

  it('fails the call in which a server dies at once, keeps its tools, and starts it again', async () => {
    const others = callText(gateway.client, 'garbage__sleep', { ms: 300 })
    expect(await fails('good__exit')).toMatch(/"good".*code 3/s)
    expect(await others).toBe('slept')
    const { tools } = await gateway.client.listTools()
    expect(tools.map((tool) => tool.name)).toContain('good__echo')
    expect(await callText(gateway.client, 'good__echo', { message: 'back' })).toBe('back')
  })

  it('shows the state of each server as a resource', async () => {
    const { contents } = await gateway.client.readResource({ uri: 'sluice://servers' })
    const [entry] = contents
    const { servers } = JSON.parse(entry && 'text' in entry ? entry.text : '') as { servers: Record<string, unknown>[] }
    const byName = new Map(servers.map((server) => [server['name'], server]))
    expect(byName.get('garbage')).toMatchObject({ state: 'ready', restarts: 0, startedAt: expect.stringMatching(/^20\d\d-/) })
    expect(byName.get('good')).toMatchObject({ state: 'ready', restarts: 1 })
    expect(byName.get('missing')).toMatchObject({ state: 'down', lastError: { code: 'UPSTREAM_SPAWN' } })
  })

  it('tells an unknown tool from one of a server that is down', async () => {
    const result = await gateway.client.callTool({ name: 'good__ekho', arguments: {} })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('Did you mean \\"good__echo\\"?')
    const far = await gateway.client.callTool({ name: 'good__nope', arguments: {} })
    expect(JSON.stringify(far.content)).toMatch(/^((?!Did you mean).)*none of that name\. (tools\/list has|IndexSearch\()/)
  })
})
