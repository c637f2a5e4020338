/** What is compared with: a plain proxy of the SDK's Client and Server, over stdio (`stdio SCRIPT`) or HTTP (`http SCRIPT`). */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [, , kind, script = ''] = process.argv
const client = new Client({ name: 'proxy', version: '1' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }))
if (kind === 'http') serveHttp()
else {
  await newServer().connect(new StdioServerTransport())
  process.stdin.on('end', () => process.exit(0))
}

// --- internal ---

function newServer(): Server {
  const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params))
  return server
}

function serveHttp(): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    const transport = known ?? (await newTransport(sessions))
    await transport.handleRequest(request, response)
  }
  const http = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  http.listen(0, '127.0.0.1', () => {
    process.stderr.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`)
  })
}

/** Answers as JSON where it can, as Sluice does. */
async function newTransport(sessions: Map<string, StreamableHTTPServerTransport>): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await newServer().connect(transport as Transport)
  return transport
}
