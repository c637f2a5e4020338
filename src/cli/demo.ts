/** `sluice demo`: a short real session through a real client, shown step by step, in front of the embedded stack. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createComputePool } from '../actor/compute-pool.js'
import { SluiceError } from '../base/errors.js'
import { utf8Length } from '../base/utf8.js'
import { packageFacts } from '../base/version.js'
import { SERVERS_URI } from '../gateway/servers-resource.js'
import type { DemoStack } from './demo-stack.js'

type Write = (text: string) => void

interface Shown {
  /** What the server sent. */
  readonly original: string
  /** What reached the client instead, receipt and later searches and reads included. */
  readonly sent: readonly string[]
}

const SHOWN_LINES = 12
const LINE_CHARS = 110

export async function playDemo(stack: DemoStack, write: Write): Promise<void> {
  const client = new Client({ name: 'sluice-demo', version: packageFacts().version })
  const cli = fileURLToPath(new URL('../cli.js', import.meta.url))
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, '--config', stack.configPath],
      stderr: 'ignore',
      env: { ...getDefaultEnvironment(), SLUICE_DATA_DIR: stack.dataDir },
    }),
  )
  try {
    await showTools(client, write)
    await showSmallCall(client, write)
    const shown = await showHugeCall(client, stack, write)
    await showSavings(shown, write)
  } finally {
    await client.close()
  }
}

// --- internal ---

async function showTools(client: Client, write: Write): Promise<void> {
  const { tools } = await client.listTools()
  const groups = new Map<string, string[]>()
  for (const { name } of tools) {
    const [server, tool] = name.includes('__') ? name.split('__', 2) : ['sluice', name]
    groups.set(server ?? '', [...(groups.get(server ?? '') ?? []), tool ?? ''])
  }
  write(`\n1. One server, ${tools.length} tools of ${groups.size - 1} servers and of Sluice itself\n\n`)
  for (const [server, names] of groups) write(`   ${server.padEnd(11)} ${clip(names.join(', '), LINE_CHARS - 12)}\n`)
  const deferred = await deferredTools(client)
  if (deferred > 0) write(`\n   ${deferred} more are not listed: IndexSearch finds them, IndexCall calls them\n`)
}

async function deferredTools(client: Client): Promise<number> {
  const [servers] = (await client.readResource({ uri: SERVERS_URI })).contents
  const text = servers && 'text' in servers ? servers.text : '{}'
  const { catalog } = JSON.parse(text) as { catalog?: { deferred: { tools: number } } }
  return catalog?.deferred.tools ?? 0
}

async function showSmallCall(client: Client, write: Write): Promise<void> {
  const text = await call(client, 'everything__echo', { message: 'hello' })
  write('\n2. A small call passes untouched\n\n')
  write(`   everything__echo({"message":"hello"})\n   → ${text}\n`)
}

async function showHugeCall(client: Client, stack: DemoStack, write: Write): Promise<Shown> {
  const lock = join(stack.folder, 'package-lock.json')
  const [tool, args, query] = existsSync(lock)
    ? (['filesystem__read_text_file', { path: lock }, '"node_modules/better-sqlite3"'] as const)
    : (['filesystem__directory_tree', { path: stack.folder }, '"session.js"'] as const)
  const receipt = await call(client, tool, args)
  const found = /^\[Response compressed — (\d+) bytes, \d+ lines, indexed as "(.+)"\]/.exec(receipt)
  const label = found?.[2]
  if (!label) throw new SluiceError('INTERNAL', `no receipt came back: ${clip(receipt, 200)}`)
  write('\n3. A huge response becomes a receipt\n\n')
  write(`   ${tool}(${clip(JSON.stringify(args), 80)})\n   ${number(Number(found[1]))} bytes came, `)
  write(`${number(utf8Length(receipt))} reach the model:\n\n${quoted(receipt, receiptParts)}`)

  const search = { queries: [query], source: label, limit: 1 }
  const hits = await call(client, 'IndexSearch', search)
  const isNear = (at: number, lines: readonly string[]) =>
    lines.slice(Math.max(0, at - 3), at + 4).some((line) => holdsQuery(line, query))
  write(`\n4. A search finds the passage\n\n   IndexSearch(${JSON.stringify(search)})\n\n`)
  write(quoted(hits, (at, lines) => at < 2 || isNear(at, lines)))

  const match = hits
    .split('\n')
    .slice(2)
    .find((line) => holdsQuery(line, query)) // below the headings
  const read = { label, offset: /^ *(\d+)\t/.exec(match ?? '')?.[1] ?? '1', limit: 6 }
  const rest = await call(client, 'IndexRead', read)
  write(`\n5. And any line can be read\n\n   IndexRead(${JSON.stringify(read)})\n\n${quoted(rest)}`)

  const { contents } = await client.readResource({ uri: `sluice://response/${label}` })
  const original = contents.map((entry) => ('text' in entry ? entry.text : '')).join('')
  return { original, sent: [receipt, hits, rest] }
}

async function showSavings(shown: Shown, write: Write): Promise<void> {
  const pool = createComputePool({ maxThreads: 1 })
  try {
    const counts = await pool.run('countTokens', { texts: [shown.original, shown.sent.join('\n')] })
    const [all, sent] = counts
    const bytes = [utf8Length(shown.original), utf8Length(shown.sent.join(''))] as const
    const about = counts.some((count) => count.estimated) ? 'about ' : ''
    const kept = (all?.tokens ?? 0) - (sent?.tokens ?? 0)
    write('\n6. Kept out of the context\n\n')
    write(`   the response     ${number(bytes[0]).padStart(9)} bytes  ${number(all?.tokens ?? 0).padStart(9)} tokens\n`)
    write(
      `   what was sent    ${number(bytes[1]).padStart(9)} bytes  ${number(sent?.tokens ?? 0).padStart(9)} tokens (receipt, search and read)\n`,
    )
    write(
      `   kept out         ${number(bytes[0] - bytes[1]).padStart(9)} bytes  ${number(kept).padStart(9)} tokens${about && ' (the response is estimated)'}\n`,
    )
  } finally {
    await pool.close()
  }
}

async function call(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const result = await client.callTool({ name, arguments: args })
  const [first] = result.content as { type: string; text?: string }[]
  return first?.text ?? ''
}

/** The lines of a text, or of the parts of it that are wanted, `…` for what is left out. */
function quoted(text: string, wanted: (line: number, lines: readonly string[]) => boolean = firstLines): string {
  const lines = text.split('\n')
  let left = 0
  const shown = lines.flatMap((line, at) => {
    if (wanted(at, lines)) {
      const gap = left > 0 ? [`… ${left} lines …`] : []
      left = 0
      return [...gap, line]
    }
    left++
    return []
  })
  const rest = left > 0 ? [`… ${left} lines …`] : []
  return [...shown, ...rest].map((line) => `   │ ${clip(line.replaceAll('\t', '  '), LINE_CHARS)}\n`).join('')
}

function holdsQuery(line: string, query: string): boolean {
  return line.includes(query.replaceAll('"', ''))
}

function firstLines(at: number): boolean {
  return at < SHOWN_LINES
}

/** The head of a receipt and of its preview, the end of that, the first of the contents, and what to do next. */
function receiptParts(at: number, lines: readonly string[]): boolean {
  const contents = lines.indexOf('## Contents')
  return at < 6 || (at >= contents - 2 && at < contents + 4) || at >= lines.length - 3
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
