/** Real tool outputs, when the data folder is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(process.env['SLUICE_DATA'] ?? '../shared/data', 'responses')

/** File names; empty, with a message, when the data is absent. */
export const responses: readonly string[] = existsSync(folder) ? readdirSync(folder) : []

if (responses.length === 0) process.stderr.write(`no real responses: ${folder} is absent, their tests are skipped\n`)

/** The text of a response; of a whole MCP result, its text blocks. */
export function response(name: string): string {
  const text = readFileSync(join(folder, name), 'utf8')
  if (!name.endsWith('.mcp.json')) return text
  const { content } = JSON.parse(text) as { content: { text?: string }[] }
  return content.flatMap((block) => block.text ?? []).join('\n\n')
}
