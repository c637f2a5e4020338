/** Clients over standard input and output: real pipes of a child process, and streams of this one. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.js'
import { FrameSplitter } from '../../src/protocol/frame-splitter.js'
import { BATCH_REVISION } from '../../src/transport/batches.js'
import { serveStdio } from '../../src/transport/stdio.js'
import { EchoHost } from '../support/echo-host.js'

const FIXTURE = fileURLToPath(new URL('../../dist/test/fixtures/echo-stdio.js', import.meta.url))
const children: ChildProcessWithoutNullStreams[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A stdio server in this process and the answers it gives, parsed. */
function serve(maxMessageBytes = 4096) {
  const host = new EchoHost()
  const input = new PassThrough()
  const output = new PassThrough()
  const lines: string[] = []
  const splitter = new FrameSplitter(1 << 26, {
    line: (bytes) => lines.push(Buffer.from(bytes).toString()),
    tooLong: () => undefined,
  })
  output.on('data', (chunk: Buffer) => splitter.push(chunk))
  const server = serveStdio({ host, input, output, maxMessageBytes, logger: silentLogger })
  const answers = async (count: number): Promise<Record<string, unknown>[]> => {
    while (lines.length < count) await once(output, 'data')
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  return { host, input, output, server, lines, answers }
}

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [FIXTURE, ...args])
  children.push(child)
  return child
}

const initialize = (protocolVersion: string) => request(0, 'initialize', { protocolVersion })
const request = (id: number, method: string, params?: object) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

describe('stdio', () => {
  it('serves a client of the SDK over pipes', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [FIXTURE], stderr: 'ignore' }))
    const big = await client.callTool({ name: 'big', arguments: { bytes: 5_000_000 } })
    expect((big.content as { text: string }[])[0]?.text).toHaveLength(5_000_000)
    await client.close()
  })

  it('answers what is no JSON with -32700 and what is no message with -32600, and goes on', async () => {
    const { input, answers } = serve()
    input.write('{broken\n')
    input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]))
    input.write('{"jsonrpc":"1.0","id":7,"method":"ping"}\n42\n[]\n')
    input.write(request(8, 'ping'))
    const got = await answers(6)
    expect(got.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code])).toEqual([
      [null, -32700],
      [null, -32700],
      [7, -32600],
      [null, -32600],
      [null, -32600],
      [8, undefined],
    ])
  })

  it('splits a batch into messages with their own bytes, and answers it with one array', async () => {
    const { host, input, answers } = serve()
    input.write(initialize(BATCH_REVISION))
    const batch = '[{"jsonrpc":"2.0","id":1.0,"method":"ping"} , {"id":2},{"jsonrpc":"2.0","id":"b","method":"ping","x":1e400}]'
    input.write(`${batch}\r\n`)
    const [, answer] = await answers(2)
    expect((answer as unknown as { id: unknown }[]).map(({ id }) => id).sort()).toEqual([1, 2, 'b'])
    expect(host.last.received.slice(1).map(({ frame }) => Buffer.from(frame).toString())).toEqual([
      '{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
      '{"jsonrpc":"2.0","id":"b","method":"ping","x":1e400}',
    ])
  })

  it('answers a batch when all of it is answered or cancelled, and others meanwhile', async () => {
    const { host, input, answers, lines } = serve()
    const hold = (id: number) => request(id, 'tools/call', { name: 'hold' }).trim()
    const note = (method: string, params?: object) => JSON.stringify({ jsonrpc: '2.0', method, params })
    input.write(initialize(BATCH_REVISION))
    input.write(`[${note('notifications/x')}]\n`)
    input.write(`[${hold(1)},${note('notifications/x')},${request(2, 'ping').trim()},${hold(3)}]\n`)
    input.write(`[${hold(4)}]\n${request(5, 'ping')}`)
    await answers(2)
    host.last.notify('meanwhile')
    host.last.finish('1', {})
    input.write(`${note('notifications/cancelled', { requestId: 4 })}\n${note('notifications/cancelled', { requestId: 3 })}\n`)
    const got = (await answers(4)) as unknown[]
    expect(got.slice(1)).toMatchObject([{ id: 5 }, { params: { data: 'meanwhile' } }, [{ id: 2 }, { id: 1 }]])
    input.end(`[${hold(6)},${request(7, 'ping').trim()}]\n`)
    await answers(5)
    expect(JSON.parse(lines[4] ?? '')).toMatchObject([{ id: 7 }])
  })

  it.each([undefined, '2024-11-05', '2025-06-18', '2025-11-25'])(
    'refuses a batch as a whole in revision %s',
    async (revision) => {
      const { host, input, answers } = serve()
      if (revision) input.write(initialize(revision))
      const before = revision ? 1 : 0
      input.write(`[${request(1, 'ping').trim()},${request(2, 'ping').trim()}]\n${request(3, 'ping')}`)
      const got = await answers(before + 2)
      expect(got.slice(before)).toMatchObject([
        { id: null, error: { code: -32600, message: expect.stringContaining('batches are part of revision 2025-03-26 only') } },
        { id: 3, result: {} },
      ])
      expect(host.last.received).toHaveLength(before + 1)
    },
  )

  it('accepts a byte order mark, blank lines, carriage returns and a last line without its break', async () => {
    const { host, input, answers } = serve()
    input.end(`\ufeff{"jsonrpc":"2.0",\r"id":1,"method":"ping"}\r\n\n${request(2, 'ping').trim()}`)
    await answers(2)
    expect(Buffer.from(host.last.received[0]?.frame ?? []).toString()).toBe('{"jsonrpc":"2.0", "id":1,"method":"ping"}')
  })

  it('refuses a message over the limit under its id, naming the limit', async () => {
    const { host, input, answers } = serve(4096)
    input.write(request(5, 'tools/call', { name: 'echo', arguments: { text: 'y'.repeat(100_000) } }))
    input.write(`{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"${'y'.repeat(5000)}"}}\n`)
    input.write(request(6, 'ping'))
    const [refusal, ping] = await answers(2)
    expect(refusal).toMatchObject({ id: 5, error: { code: -32600, message: expect.stringContaining('limit of 4096') } })
    expect(ping).toMatchObject({ id: 6, result: {} })
    expect(host.last.received).toHaveLength(1)
  })

  it('closes the session at the end of input and then resolves', async () => {
    const { host, input, server } = serve()
    input.write(request(1, 'tools/call', { name: 'hold' }))
    input.end()
    await server.closed
    expect(host.last.closed).toBe(true)
  })

  it('closes the session when the output breaks', async () => {
    const { host, output, server } = serve()
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await server.closed
    expect(host.last.closed).toBe(true)
  })

  it('drops what comes after its end', async () => {
    const { host, input, lines, server } = serve()
    await server.close()
    host.last.notify('late')
    input.write(request(1, 'ping'))
    await server.close()
    expect(host.last.received).toHaveLength(0)
    expect(lines).toHaveLength(0)
  })

  it('keeps the event loop free while the client does not read', async () => {
    const child = start('--ticks')
    child.stdin.write(request(1, 'tools/call', { name: 'big', arguments: { bytes: 8_000_000 } }))
    await once(child.stdout, 'readable')
    let ticks = 0
    while (ticks < 20) {
      const [chunk] = (await once(child.stderr, 'data')) as [Buffer]
      ticks += chunk.toString().split('tick').length - 1
    }
    child.stdin.write(request(2, 'ping'))
    let bytes = 0
    let tail = ''
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length
      tail = (tail + chunk.toString('latin1')).slice(-100)
      if (tail.includes('"id":2,"result"')) break
    }
    expect(bytes).toBeGreaterThan(8_000_000)
  })

  it('sends all of an answer that is in the pipe when it is closed', async () => {
    const child = start()
    child.stdin.end(request(1, 'tools/call', { name: 'big', arguments: { bytes: 3_000_000 } }))
    let bytes = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) bytes += chunk.length
    expect(bytes).toBeGreaterThan(3_000_000)
  })

  it('ends when the client closes the output', async () => {
    const child = start()
    child.stdout.destroy()
    child.stdin.write(request(1, 'tools/call', { name: 'slow', arguments: { steps: 1000, everyMs: 1 } }))
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
  })
})
