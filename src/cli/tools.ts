/** `sluice tools [query]`: the tools as the model would have them, listed or deferred, or what a search of the model's would find. */
import * as z from 'zod'
import { SluiceError } from '../base/errors.js'
import { ellipsize } from '../base/utf8.js'
import { toolFacts } from '../gateway/tool-facts.js'
import type { LocalSession } from './local-session.js'
import { missingServers } from './missing-servers.js'

/** What `--json` prints without a query. */
export const toolsReport = z.strictObject({
  /** Tokens of the whole list as the client gets it, the gateway's own tools included. */
  listTokens: z.int(),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      server: z.string(),
      /** The server's own name of it. */
      tool: z.string(),
      listed: z.boolean(),
      tokens: z.int(),
      description: z.string(),
    }),
  ),
  /** Servers that are not there. */
  missing: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
})

/** What `--json` prints with a query: the answer as the model gets it. */
export const searchReport = z.strictObject({ query: z.string(), isError: z.boolean(), answer: z.string() })

export type ToolsReport = z.output<typeof toolsReport>

interface ToolsOptions {
  readonly session: LocalSession
  readonly query: string | undefined
  readonly json: boolean
  readonly write: (text: string) => void
}

/** The exit code: 1 where a server is missing, or the search has failed. */
export async function tools({ session, query, json, write }: ToolsOptions): Promise<number> {
  await session.settled()
  if (query !== undefined) {
    const found = await search(session, query)
    write(json ? `${JSON.stringify(found, null, 2)}\n` : `${found.answer}\n`)
    return found.isError ? 1 : 0
  }
  const report = await reportOf(session)
  write(json ? `${JSON.stringify(report, null, 2)}\n` : renderTools(report))
  return report.missing.length === 0 ? 0 : 1
}

// --- internal ---

const DESCRIPTION_CHARS = 80

async function search({ context, ask }: LocalSession, query: string): Promise<z.output<typeof searchReport>> {
  if (!context.index)
    throw new SluiceError('USAGE', 'nothing is searched with this configuration: it indexes neither catalog nor responses')
  const request = { name: context.settings.searchTool, arguments: { queries: [query], source: 'mcp/' } }
  const answer = await ask('tools/call', JSON.stringify(request))
  if ('error' in answer) return { query, isError: true, answer: answer.error }
  const { content, isError = false } = JSON.parse(answer.ok) as { content: [{ text: string }]; isError?: boolean }
  return { query, isError, answer: content[0].text }
}

async function reportOf({ context }: LocalSession): Promise<ToolsReport> {
  const facts = await toolFacts(context)
  const { toolTokens } = await context.catalog.describe()
  return {
    listTokens: toolTokens,
    tools: facts.map(({ name, server, tool, listed, tokens, json }) => {
      return { name, server, tool, listed, tokens, description: descriptionIn(json) }
    }),
    missing: missingServers(context),
  }
}

function descriptionIn(json: string): string {
  const { description } = JSON.parse(json) as { description?: unknown }
  return typeof description === 'string' ? description : ''
}

function renderTools({ listTokens, tools: all, missing }: ToolsReport): string {
  const width = Math.max(0, ...all.map(({ name }) => name.length))
  const row = ({ name, tokens, description }: ToolsReport['tools'][number]) => {
    const line = description.trim().split('\n', 1)[0] ?? ''
    return `  ${name.padEnd(width)} ${String(tokens).padStart(6)}  ${ellipsize(line, DESCRIPTION_CHARS)}`.trimEnd()
  }
  const [listed, deferred] = [all.filter((one) => one.listed), all.filter((one) => !one.listed)]
  return [
    `Listed: ${listed.length} of ${all.length} tools; the list takes ${listTokens} tokens, Sluice's own tools included`,
    ...listed.map(row),
    ...(deferred.length === 0 ? [] : ['', 'Deferred: found by a search, called by name all the same', ...deferred.map(row)]),
    ...(missing.length === 0 ? [] : ['', 'Not there:', ...missing.map(({ name, reason }) => `  ${name}: ${reason}`)]),
    '',
  ].join('\n')
}
