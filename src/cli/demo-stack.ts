/** The embedded stack: three real servers, with nothing of the user's touched. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface DemoStack {
  /** A configuration file of its own, in a temporary folder. */
  readonly configPath: string
  /** The folder that the filesystem server may read. */
  readonly folder: string
  /** Where its gateways keep what they remember. */
  readonly dataDir: string
  remove(): void
}

export function createDemoStack(folder: string): DemoStack {
  const home = mkdtempSync(join(tmpdir(), 'sluice-demo-'))
  const configPath = join(home, 'sluice.json')
  const mcpServers = {
    everything: { ...launch('@modelcontextprotocol/server-everything', ['stdio']), description: 'every feature of MCP' },
    filesystem: { ...launch('@modelcontextprotocol/server-filesystem', [folder]), description: 'reads files' },
    memory: {
      ...launch('@modelcontextprotocol/server-memory', []),
      env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
      description: 'a knowledge graph',
    },
  }
  writeFileSync(configPath, JSON.stringify({ mcpServers }, null, 2), { mode: 0o600 })
  return { configPath, folder, dataDir: join(home, 'data'), remove: () => rmSync(home, { recursive: true, force: true }) }
}

// --- internal ---

interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** The installed package if it is there, else by npx. */
function launch(name: string, args: readonly string[]): Launch {
  const require = createRequire(import.meta.url)
  try {
    const manifest = require.resolve(`${name}/package.json`)
    const { bin } = require(manifest) as { bin: string | Readonly<Record<string, string>> }
    const file = typeof bin === 'string' ? bin : Object.values(bin)[0]
    if (file) return { command: process.execPath, args: [join(dirname(manifest), file), ...args] }
  } catch {
    // Not installed beside us: npx fetches it.
  }
  return { command: 'npx', args: ['-y', name, ...args] }
}
