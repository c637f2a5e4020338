/** The revision of MCP that a client and the gateway agree on. */
import { findPath, textOf } from '../protocol/json-spans.js'

/** Read from the answer to `initialize`; undefined if that is an error. */
export function agreedRevision(frame: Uint8Array): string | undefined {
  const version = findPath(frame, ['result', 'protocolVersion'])
  return version && textOf(frame, version).slice(1, -1)
}
