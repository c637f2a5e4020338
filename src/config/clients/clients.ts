/** The clients that Sluice knows, as data: a row a client. */
import { SluiceError } from '../../base/errors.js'
import { nearest } from '../../base/nearest.js'
import { variableOf } from '../environment.js'
import { showFound } from '../values.js'
import { type Client, type ClientFile, joinOf, type Launch, type Places, settingsFolder, xdgFolder } from './client.js'

export const CLIENTS: readonly Client[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    files: (places) => [userJson(joinOf(places)(settingsFolder(places), 'Claude', 'claude_desktop_config.json'), MCP_SERVERS)],
    entryOf: plainEntry,
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    files: (places) => {
      const file = joinOf(places)(variableOf(places, 'CLAUDE_CONFIG_DIR') || places.home, '.claude.json')
      return [
        userJson(file, MCP_SERVERS),
        ...spellings(places).map((cwd) => userJson(file, ['projects', cwd, 'mcpServers'])),
        projectJson(places, ['.mcp.json'], MCP_SERVERS),
      ]
    },
    entryOf: (launch) => ({ type: 'stdio', ...plainEntry(launch), env: {} }),
  },
  {
    name: 'cursor',
    title: 'Cursor',
    files: (places) => [
      userJson(joinOf(places)(places.home, '.cursor', 'mcp.json'), MCP_SERVERS),
      projectJson(places, ['.cursor', 'mcp.json'], MCP_SERVERS),
    ],
    entryOf: plainEntry,
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    files: (places) => [userJson(joinOf(places)(places.home, '.codeium', 'windsurf', 'mcp_config.json'), MCP_SERVERS)],
    entryOf: plainEntry,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    files: (places) => {
      const user = joinOf(places)(settingsFolder(places), 'Code', 'User')
      return [
        userJson(joinOf(places)(user, 'mcp.json'), ['servers']),
        // Where its versions before 1.102 had them.
        userJson(joinOf(places)(user, 'settings.json'), ['mcp', 'servers']),
        projectJson(places, ['.vscode', 'mcp.json'], ['servers']),
      ]
    },
    entryOf: (launch) => ({ type: 'stdio', ...plainEntry(launch) }),
  },
  {
    name: 'codex',
    title: 'Codex',
    files: (places) => {
      const folder = variableOf(places, 'CODEX_HOME') || joinOf(places)(places.home, '.codex')
      return [{ path: joinOf(places)(folder, 'config.toml'), format: 'toml', list: ['mcp_servers'], scope: 'user' }]
    },
    entryOf: plainEntry,
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    files: (places) => [userJson(joinOf(places)(places.home, '.gemini', 'settings.json'), MCP_SERVERS)],
    entryOf: plainEntry,
  },
  {
    name: 'zed',
    title: 'Zed',
    files: (places) => {
      const folder =
        places.platform === 'win32' ? joinOf(places)(settingsFolder(places), 'Zed') : joinOf(places)(xdgFolder(places), 'zed')
      return [userJson(joinOf(places)(folder, 'settings.json'), ['context_servers'])]
    },
    entryOf: (launch) => ({ source: 'custom', ...plainEntry(launch), env: {} }),
  },
]

/** @throws USAGE with the nearest name, for one that is no client's */
export function clientNamed(name: string): Client {
  const client = CLIENTS.find((one) => one.name === name)
  if (client !== undefined) return client
  const names = CLIENTS.map((one) => one.name)
  const meant = nearest(name, names)
  const hint = meant === undefined ? `there are ${names.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`
  throw new SluiceError('USAGE', `${showFound(name)} is not a client that Sluice knows; ${hint}`)
}

// --- internal ---

const MCP_SERVERS = ['mcpServers'] as const

function userJson(file: string, list: readonly string[]): ClientFile {
  return { path: file, format: 'json', list, scope: 'user' }
}

function projectJson(places: Places, parts: readonly string[], list: readonly string[]): ClientFile {
  return { path: joinOf(places)(places.cwd, ...parts), format: 'json', list, scope: 'project' }
}

/** How the current folder may be written as a key; on Windows with either slash. */
function spellings({ cwd, platform }: Places): string[] {
  return platform === 'win32' ? [...new Set([cwd, cwd.replaceAll('\\', '/')])] : [cwd]
}

function plainEntry({ command, args }: Launch): Record<string, unknown> {
  return { command, args: [...args] }
}
