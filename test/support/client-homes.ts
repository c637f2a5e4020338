/** A home with the files of all clients as they really look, secrets planted wherever an entry can have one. */
import path from 'node:path'
import type { ClientName } from '../../src/config/clients/client.js'
import { clientNamed } from '../../src/config/clients/clients.js'
import type { Environment } from '../../src/config/environment.js'
import { writeTo } from './environment.js'

/** None of these may ever be shown. */
export const PLANTED = /s3cr3t/

export interface ClientHome {
  readonly client: ClientName
  readonly content: string
  /** The servers that Sluice can run. */
  readonly servers: readonly string[]
  /** Texts of the file that have to be there after any edit. */
  readonly kept: readonly string[]
}

export const CLIENT_HOMES: readonly ClientHome[] = [
  {
    client: 'claude-desktop',
    content: `{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": {
        "GITHUB_TOKEN": "s3cr3t-desktop"
      }
    },
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"] }
  },
  "globalShortcut": "Ctrl+Space"
}
`,
    servers: ['github', 'files'],
    kept: ['"globalShortcut": "Ctrl+Space"'],
  },
  {
    client: 'claude-code',
    content: `{
  "numStartups": 12,
  "bigNumber": 12345678901234567890,
  "mcpServers": {
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp", "headers": { "Authorization": "Bearer s3cr3t-code" } },
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"], "env": { "GITHUB_TOKEN": "s3cr3t-other" } }
  },
  "projects": {
    "/elsewhere": { "mcpServers": { "hidden": { "command": "hidden" } } }
  }
}`,
    servers: ['sentry', 'github'],
    kept: ['12345678901234567890', '"hidden": { "command": "hidden" }'],
  },
  {
    client: 'cursor',
    content: `{
\t// my servers
\t"mcpServers": {
\t\t"linear": {
\t\t\t"url": "https://user:s3cr3t-url@mcp.linear.app/sse?key=s3cr3t-query"
\t\t},
\t\t/* "old": { "command": "old" }, */
\t\t"files": {
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
\t\t},
\t},
}
`,
    servers: ['linear', 'files'],
    kept: ['\t// my servers', '/* "old": { "command": "old" }, */'],
  },
  {
    client: 'windsurf',
    content:
      '{\r\n  "mcpServers": {\r\n    "remote": {\r\n      "serverUrl": "https://x.example/mcp",\r\n      "headers": { "X-Key": "s3cr3t-wind" },\r\n      "disabledTools": ["drop"]\r\n    }\r\n  }\r\n}\r\n',
    servers: ['remote'],
    kept: [],
  },
  {
    client: 'vscode',
    content: `{
    // inputs stay
    "inputs": [{ "type": "promptString", "id": "key", "description": "API key", "password": true }],
    "servers": {
        "memory": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory", "--token", "s3cr3t-arg"] },
        "asks": { "command": "asks", "env": { "KEY": "\${input:key}" } }
    }
}
`,
    servers: ['memory'],
    kept: ['// inputs stay', '"id": "key"', '"asks": { "command": "asks"'],
  },
  {
    client: 'codex',
    content: `# Codex
model = "gpt-5"   # keep
approval_policy = 'on-request'

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
startup_timeout_sec = 20

[mcp_servers.docs.env]
API_KEY = "s3cr3t-toml"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
http_headers = { "X-Figma" = "s3cr3t-figma" }
bearer_token_env_var = "FIGMA_TOKEN"

# projects
[projects."/home/me/x"]
trust_level = "trusted"
`,
    servers: ['docs', 'figma'],
    kept: ['# Codex', 'model = "gpt-5"   # keep', '# projects', '[projects."/home/me/x"]'],
  },
  {
    client: 'gemini',
    content: `{
  "theme": "Default",
  "mcpServers": {
    "weather": {
      "httpUrl": "https://weather.example/mcp",
      "headers": { "Authorization": "Bearer s3cr3t-gemini" },
      "timeout": 5000,
      "trust": true,
      "includeTools": ["forecast"]
    }
  },
  "selectedAuthType": "oauth-personal"
}
`,
    servers: ['weather'],
    kept: ['"theme": "Default"', '"selectedAuthType": "oauth-personal"'],
  },
  {
    client: 'zed',
    content: `// Zed settings
{
  "vim_mode": true,
  "context_servers": {
    "mcp-server-github": { "source": "extension", "settings": { "github_personal_access_token": "s3cr3t-ext" } },
    "own": { "source": "custom", "command": "npx", "args": ["own-mcp"], "env": { "T": "s3cr3t-zed" } },
    "older": { "command": { "path": "older", "args": ["a"], "env": { "T": "s3cr3t-older" } } },
  },
  "buffer_font_size": 16,
}
`,
    servers: ['own', 'older'],
    kept: ['// Zed settings', '"vim_mode": true', 's3cr3t-ext', '"buffer_font_size": 16'],
  },
]

/** The client's own file in an environment. */
export function clientFile(client: ClientName, environment: Environment): string {
  return clientNamed(client).files(environment)[0].path
}

/** Writes the files of these clients, and returns their paths. */
export function furnish(environment: Environment, homes: readonly ClientHome[] = CLIENT_HOMES): string[] {
  return homes.map(({ client, content }) => {
    const file = clientFile(client, environment)
    return writeTo(path.dirname(file), path.basename(file), content)
  })
}
