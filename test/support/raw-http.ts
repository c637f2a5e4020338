/** Plain HTTP requests to `/mcp`, and reading their streams of events, for tests of what no well-behaved client sends. */
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface Event {
  readonly id: string
  readonly data: string
}

export type RawHeaders = Record<string, string>

export const POST_HEADERS: RawHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

export const GET_HEADERS: RawHeaders = { accept: 'text/event-stream' }

/** Sends a request and resolves with the response's head; its body is to be read by the caller. */
export function openRequest(
  url: string,
  method: string,
  headers: RawHeaders,
  body?: string | Buffer,
): Promise<{ response: IncomingMessage; request: ClientRequest }> {
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, agent: false })
    request.on('response', (response) => resolve({ response, request }))
    request.on('error', reject)
    request.end(body)
  })
}

export async function send(url: string, method: string, headers: RawHeaders, body?: string | Buffer): Promise<Answer> {
  const { response } = await openRequest(url, method, headers, body)
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }
}

/** The events of a stream as they come; comments are left out. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<Event> {
  let text = ''
  let parts: string[] = []
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    parts.push(chunk)
    // A break may lie between two chunks; without one there is nothing to read yet.
    if (!chunk.includes('\n')) continue
    text = parts.join('')
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
      if (lines.some((line) => line.startsWith('data:'))) yield { id: field('id'), data: field('data') }
    }
    parts = [text]
  }
}

/** The next `count` events; the stream stays open unless it ends by itself. */
export async function take(events: AsyncGenerator<Event>, count: number): Promise<Event[]> {
  const taken: Event[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
