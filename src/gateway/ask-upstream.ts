/** Asks an upstream something for the gateway itself. */
import { parseJson, requestFrame } from '../protocol/frame.js'
import { asRecord } from '../protocol/messages.js'
import type { Upstream } from '../upstream/upstream.js'
import { RpcError } from './rpc-error.js'

/** The result. Rejects with the server's own error as an RpcError, or with what kept it from answering. */
export function askUpstream(upstream: Upstream, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    upstream.request((id) => requestFrame(id, method, params), {
      answer: (frame) => {
        const response = asRecord(parseJson(frame))
        const error = asRecord(response?.['error'])
        if (error) reject(new RpcError(Number(error['code']), String(error['message']), error['data']))
        else resolve(asRecord(response?.['result']) ?? {})
      },
      fail: reject,
    })
  })
}
