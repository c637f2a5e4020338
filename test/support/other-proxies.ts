/** Proxies of other makers, as a client or a gateway reaches what is behind them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appears, isolatedEnv, packaged, type ServerEntry } from './gateway.js'
import type { Stage } from './raw-gateway.js'
import { send } from './raw-http.js'

/** mcp-remote: a server over HTTP, as one over stdio. */
export function throughRemote(stage: Stage, { url = '' }: ServerEntry): ServerEntry {
  const home = mkdtempSync(join(tmpdir(), 'sluice-remote-'))
  stage.keep(() => rmSync(home, { recursive: true, force: true }))
  const entry = packaged('mcp-remote', url, '--transport', 'http-only', '--allow-http', '--silent')
  return { ...entry, env: { ...isolatedEnv(home), MCP_REMOTE_CONFIG_DIR: home } }
}

/** mcp-proxy: a server over stdio, as one over HTTP. */
export async function throughProxy(stage: Stage, { command = '', args = [], env }: ServerEntry): Promise<ServerEntry> {
  const port = await freePort()
  const options = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--no-modern', '--', command, ...args]
  const proxy = packaged('mcp-proxy', ...options)
  const child = spawn(proxy.command ?? '', proxy.args ?? [], {
    stdio: 'ignore',
    env: { ...process.env, ...(env as Record<string, string> | undefined) },
  })
  stage.keep(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let answered = false
  // It says that it listens before it does.
  await appears(child, () => {
    send(`http://127.0.0.1:${port}/ping`, 'GET', {}).then(
      () => {
        answered = true
      },
      () => false,
    )
    return answered || undefined
  })
  return { url: `http://127.0.0.1:${port}/mcp` }
}

// --- internal ---

/** The proxy does not tell which port it has chosen. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
