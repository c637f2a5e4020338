/** The body of an HTTP request within a limit. */
import type { IncomingMessage } from 'node:http'

/** `too large`: the rest is read away, so that the client gets to read why. `gone`: the client broke off. */
export type Body = Uint8Array | 'too large' | 'gone'

export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      request.resume()
      resolve('too large')
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        resolve('too large')
      }
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', () => resolve('gone'))
  })
}
