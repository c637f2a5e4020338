/** A client's end of a connection, with nothing between it and the bytes: stdio of a process, or Streamable HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { ServerEntry } from './gateway.js'
import { eventsOf, GET_HEADERS, openRequest, POST_HEADERS } from './raw-http.js'

/** @param source over HTTP, what was sent to get it; empty for the stream that belongs to no request */
export type Heard = (frame: string, source?: string) => void

export interface Wire {
  /** Resolves when it is written, over HTTP when it was accepted. */
  send(frame: string): Promise<void>
  /** Once after `initialize` was answered. */
  listen(): Promise<void>
  close(): Promise<void>
}

export type OpenWire = (heard: Heard) => Wire

export function stdioWire({ command = '', args = [] }: ServerEntry, env?: Record<string, string>): OpenWire {
  return (heard) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], ...(env && { env }) })
    createInterface({ input: child.stdout }).on('line', (line) => heard(line))
    return {
      send: (frame) => new Promise((resolve) => child.stdin.write(`${frame}\n`, () => resolve())),
      listen: () => Promise.resolve(),
      async close() {
        child.stdin.end()
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      },
    }
  }
}

export function httpWire(url: string): OpenWire {
  return (heard) => {
    const session: Record<string, string> = {}
    const drops = new Set<() => void>()
    const follow = async (method: string, headers: Record<string, string>, body?: string) => {
      const { response, request } = await openRequest(url, method, { ...headers, ...session }, body)
      const named = response.headers['mcp-session-id']
      if (typeof named === 'string') session['mcp-session-id'] = named
      const drop = () => request.destroy()
      drops.add(drop)
      const read = readAll(response, (frame) => heard(frame, body ?? ''))
      void read.catch(() => undefined).finally(() => drops.delete(drop))
    }
    return {
      send: (frame) => follow('POST', POST_HEADERS, frame),
      listen: () => follow('GET', GET_HEADERS),
      async close() {
        await follow('DELETE', {})
        for (const drop of drops) drop()
      },
    }
  }
}

// --- internal ---

type Response = Awaited<ReturnType<typeof openRequest>>['response']

async function readAll(response: Response, heard: (frame: string) => void): Promise<void> {
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    for await (const { data } of eventsOf(response)) if (data !== '') heard(data)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  if (text !== '') heard(text)
}
