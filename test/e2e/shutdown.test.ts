/** When the client goes, every process of the session goes with it, within 5 s. */
import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/base/version.js'
import {
  appears,
  CLI,
  createHome,
  fixture,
  isolatedEnv,
  openHttpGateway,
  packaged,
  type ServerEntry,
} from '../support/gateway.js'
import { allGone, descendantsOf, isAlive } from '../support/processes.js'

const IN_TIME_MS = 5000

/** Started by npx, which starts a shell, which starts the server. */
const byNpx: ServerEntry = { command: 'npx', args: ['--no-install', 'mcp-server-everything', 'stdio'], cwd: packageRoot() }
/** Does not care for the end of its stdin or SIGTERM, and has a child in a session of its own. */
const stubborn: ServerEntry = {
  command: process.execPath,
  args: [
    '-e',
    `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
     require('node:child_process').spawn('setsid', ['sleep', '1000'], { stdio: 'ignore' });
     import(${JSON.stringify(fixture('content-server.js').args?.[0])})`,
  ],
}
const SERVERS = {
  byNpx,
  stubborn,
  memory: packaged('mcp-server-memory'),
}

describe.runIf(process.platform === 'linux')('the end of a session', () => {
  it.each(['end of stdin', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL'])('leaves no process after %s', async (end) => {
    const home = createHome(SERVERS)
    const gateway = spawn(process.execPath, [CLI, '--config', home.config], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: isolatedEnv(home.folder),
    })
    let out = ''
    gateway.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    const send = (message: object) => gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    })
    await appears(gateway, () => (/"id":1[,}]/.test(out) ? true : undefined))
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'byNpx__echo', arguments: { message: 'up' } } })
    send({ id: 3, method: 'tools/call', params: { name: 'stubborn__echo', arguments: { message: 'up' } } })
    await appears(gateway, () => (/"id":2[,}]/.test(out) && /"id":3[,}]/.test(out) ? true : undefined))
    const family = descendantsOf(gateway.pid ?? 0)
    expect(family.length).toBeGreaterThanOrEqual(5)

    if (end === 'end of stdin') gateway.stdin.end()
    else gateway.kill(end as NodeJS.Signals)
    expect(await allGone([gateway.pid ?? 0, ...family], IN_TIME_MS)).toBe(true)
    home.remove()
  })

  it('leaves none of an HTTP session after DELETE, and the gateway alive', async () => {
    const gateway = await openHttpGateway({ stubborn })
    const { client, transport } = await gateway.connect()
    await client.listTools()
    const family = descendantsOf(gateway.pid).filter((pid) => pid !== gateway.pid)
    await transport.terminateSession()
    await client.close()
    const servers = family.filter((pid) => descendantsOf(gateway.pid).includes(pid) === false || isAlive(pid))
    expect(servers.length).toBeGreaterThanOrEqual(2)
    // The watchdog stays with the gateway; all others go.
    const gone = async () => family.filter(isAlive).length <= 1
    const end = performance.now() + IN_TIME_MS
    while (!(await gone()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await gone()).toBe(true)
    expect(isAlive(gateway.pid)).toBe(true)
    await gateway.close()
    expect(await allGone(family, IN_TIME_MS)).toBe(true)
  })
})
