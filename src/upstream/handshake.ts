/** The first exchange with a server: `initialize`, what it says of itself, and `notifications/initialized`. */
import { notificationFrame, parseJson } from '../protocol/frame.js'
import { asRecord, type JsonRpcErrorBody } from '../protocol/messages.js'
import type { Connection } from './connection.js'
import type { ClientFacts, ServerFacts } from './upstream.js'

/** The revisions of MCP that are spoken with servers. */
const PROTOCOL_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

/** @throws UPSTREAM_PROTOCOL if the server refuses or speaks another revision, or what ended the connection */
export async function initialize(connection: Connection, client: ClientFacts): Promise<ServerFacts> {
  const { protocolVersion, capabilities, clientInfo, more } = client
  const params = { protocolVersion, capabilities, clientInfo, ...more }
  const frame = await connection.ask('initialize', { params, replay: false })
  const facts = readFacts(connection, frame)
  connection.link.setProtocolVersion(facts.protocolVersion)
  connection.send(notificationFrame('notifications/initialized'))
  connection.link.initialized()
  return facts
}

/** The error of a response's bytes, or undefined if it is none. */
export function errorOf(frame: Uint8Array): JsonRpcErrorBody | undefined {
  const error = asRecord(asRecord(parseJson(frame))?.['error'])
  return error && { code: Number(error['code']), message: String(error['message']) }
}

// --- internal ---

function readFacts(connection: Connection, frame: Uint8Array): ServerFacts {
  const error = errorOf(frame)
  if (error) throw connection.errors.error('UPSTREAM_PROTOCOL', `refused "initialize": ${error.message} (${error.code})`)
  const result = asRecord(asRecord(parseJson(frame))?.['result']) ?? {}
  const { protocolVersion: version, capabilities, serverInfo, instructions, ...more } = result
  if (typeof version !== 'string') {
    throw connection.errors.error('UPSTREAM_PROTOCOL', 'answered "initialize" without a protocolVersion')
  }
  if (!PROTOCOL_VERSIONS.some((known) => known === version)) {
    const known = PROTOCOL_VERSIONS.join(', ')
    throw connection.errors.error('UPSTREAM_PROTOCOL', `speaks the MCP revision "${version}", which is not among ${known}`)
  }
  return {
    protocolVersion: version,
    capabilities: asRecord(capabilities) ?? {},
    serverInfo: asRecord(serverInfo) ?? {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    more,
  }
}
