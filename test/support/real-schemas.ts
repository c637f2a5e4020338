/** The tools of the real catalogs, and a sample of further tool sets, from the data for tests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asRecord } from '../../src/protocol/messages.js'

export type RealTool = Readonly<Record<string, unknown>> & { readonly name: string }

const folder = process.env['SLUICE_DATA'] ?? '../shared/data'
const EVERY = 40

/** Every tool of `tools/*.json`; empty where the data are absent. */
export function realTools(): RealTool[] {
  return files('tools').flatMap((text) => (JSON.parse(text) as { tools: RealTool[] }).tools)
}

/** One tool of forty of `toolsets/*.jsonl`. */
export function sampledTools(): RealTool[] {
  return files('toolsets').flatMap((text) =>
    text
      .split('\n')
      .filter((line, at) => line !== '' && at % EVERY === 0)
      .map((line) => JSON.parse(line) as RealTool),
  )
}

/** The input and output schemas of all of these. */
export function realSchemas(): object[] {
  return [...realTools(), ...sampledTools()].flatMap((tool) =>
    [tool['inputSchema'], tool['outputSchema']].filter((schema) => asRecord(schema) !== undefined),
  ) as object[]
}

// --- internal ---

function files(name: string): string[] {
  const path = join(folder, name)
  return existsSync(path)
    ? readdirSync(path)
        .filter((file) => /\.jsonl?$/.test(file))
        .map((file) => readFileSync(join(path, file), 'utf8'))
    : []
}
