/** The address on this machine that the issuer sends the browser back to (RFC 8252), open for one login. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SluiceError } from '../../base/errors.js'

export interface RedirectListener {
  readonly redirectUri: string
  /** The parameters of the first redirect that has our state; others are refused. */
  readonly redirected: Promise<URLSearchParams>
  close(): void
}

/**
 * Listens on 127.0.0.1 only.
 * @param port 0: any free one
 * Rejects with LOGIN_FAILED where the port cannot be had.
 */
export async function listenForRedirect(state: string, port: number): Promise<RedirectListener> {
  let accept: (params: URLSearchParams) => void = () => undefined
  const redirected = new Promise<URLSearchParams>((resolve) => {
    accept = resolve
  })
  let host = ''
  let isOver = false
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const fault = faultOf(request, url, { host, state, isOver })
    if (fault !== undefined) return reply(response, fault.status, fault.text)
    isOver = true
    reply(
      response,
      200,
      url.searchParams.has('error') ? 'The login was refused; see the terminal.' : 'Done. You can close this page.',
    )
    return accept(url.searchParams)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new SluiceError('LOGIN_FAILED', `cannot listen on port ${port}: ${cause.message}`, { cause })),
    )
    server.listen({ host: '127.0.0.1', port }, resolve)
  })
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    redirectUri: `http://${host}${PATH}`,
    redirected,
    close: () => {
      server.close()
      server.closeIdleConnections()
    },
  }
}

// --- internal ---

const PATH = '/callback'

interface Expected {
  readonly host: string
  readonly state: string
  /** One login, one code. */
  readonly isOver: boolean
}

/** A page in the browser may send anything here: what has not our state is no answer, and does not end the waiting either. */
function faultOf({ method, headers }: IncomingMessage, url: URL, { host, state, isOver }: Expected) {
  if (headers.host !== host || url.pathname !== PATH) return { status: 404, text: 'Nothing is here.' }
  if (method !== 'GET') return { status: 405, text: 'Only GET.' }
  if (url.searchParams.get('state') !== state) return { status: 400, text: 'This is not the login that was begun.' }
  if (isOver) return { status: 400, text: 'This login is over.' }
  const has = url.searchParams.has('code') || url.searchParams.has('error')
  return has ? undefined : { status: 400, text: 'There is no code.' }
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' })
  response.end(`${text}\n`)
}
