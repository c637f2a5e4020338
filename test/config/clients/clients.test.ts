import { describe, expect, it } from 'vitest'
import type { Places } from '../../../src/config/clients/client.js'
import { CLIENTS, clientNamed } from '../../../src/config/clients/clients.js'

const LINUX: Places = { home: '/home/me', cwd: '/work', platform: 'linux', variables: {} }
const MAC: Places = { home: '/Users/me', cwd: '/work', platform: 'darwin', variables: {} }
const WINDOWS: Places = {
  home: 'C:\\Users\\me',
  cwd: 'C:\\work',
  platform: 'win32',
  variables: { AppData: 'C:\\Users\\me\\AppData\\Roaming' },
}

function userFiles(places: Places): Record<string, string> {
  return Object.fromEntries(CLIENTS.map((client) => [client.name, client.files(places)[0].path]))
}

describe('the files of clients', () => {
  it('are found on Linux', () => {
    expect(userFiles(LINUX)).toEqual({
      'claude-desktop': '/home/me/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/me/.claude.json',
      cursor: '/home/me/.cursor/mcp.json',
      windsurf: '/home/me/.codeium/windsurf/mcp_config.json',
      vscode: '/home/me/.config/Code/User/mcp.json',
      codex: '/home/me/.codex/config.toml',
      gemini: '/home/me/.gemini/settings.json',
      zed: '/home/me/.config/zed/settings.json',
    })
  })

  it('are found on macOS', () => {
    expect(userFiles(MAC)).toEqual({
      'claude-desktop': '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-code': '/Users/me/.claude.json',
      cursor: '/Users/me/.cursor/mcp.json',
      windsurf: '/Users/me/.codeium/windsurf/mcp_config.json',
      vscode: '/Users/me/Library/Application Support/Code/User/mcp.json',
      codex: '/Users/me/.codex/config.toml',
      gemini: '/Users/me/.gemini/settings.json',
      zed: '/Users/me/.config/zed/settings.json',
    })
  })

  it('are found on Windows, whatever process asks', () => {
    expect(userFiles(WINDOWS)).toEqual({
      'claude-desktop': 'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\me\\.claude.json',
      cursor: 'C:\\Users\\me\\.cursor\\mcp.json',
      windsurf: 'C:\\Users\\me\\.codeium\\windsurf\\mcp_config.json',
      vscode: 'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json',
      codex: 'C:\\Users\\me\\.codex\\config.toml',
      gemini: 'C:\\Users\\me\\.gemini\\settings.json',
      zed: 'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json',
    })
    expect(userFiles({ ...WINDOWS, variables: {} })).toEqual(userFiles(WINDOWS))
  })

  it('follow the variables that move them', () => {
    const variables = { XDG_CONFIG_HOME: '/xdg', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' }
    const files = userFiles({ ...LINUX, variables })
    expect(files).toMatchObject({
      'claude-desktop': '/xdg/Claude/claude_desktop_config.json',
      'claude-code': '/claude/.claude.json',
      codex: '/codex/config.toml',
      zed: '/xdg/zed/settings.json',
    })
    expect(userFiles({ ...LINUX, variables: { XDG_CONFIG_HOME: 'relative' } })).toEqual(userFiles(LINUX))
  })

  it('are those of projects, too', () => {
    const projects = CLIENTS.flatMap((client) => client.files(LINUX)).filter(({ scope }) => scope === 'project')
    expect(projects.map((file) => file.path)).toEqual(['/work/.mcp.json', '/work/.cursor/mcp.json', '/work/.vscode/mcp.json'])
  })

  it('have the entry of the current folder, on Windows with either slash', () => {
    const lists = (places: Places) =>
      clientNamed('claude-code')
        .files(places)
        .map(({ list }) => list)
    expect(lists(LINUX)).toContainEqual(['projects', '/work', 'mcpServers'])
    expect(lists(WINDOWS)).toEqual(
      expect.arrayContaining([
        ['projects', 'C:\\work', 'mcpServers'],
        ['projects', 'C:/work', 'mcpServers'],
      ]),
    )
  })
})
