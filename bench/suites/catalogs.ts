/** What a client is given of many servers' tools: all as they are, all compressed, and what is listed by default. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { openSluice } from '../gateway-process.js'
import { inFrontOf, MIXES, NO_DATA, realServers, SMOKE_MIXES, toolsIn } from '../real-catalogs.js'
import type { Row, TrialOptions } from '../trials.js'

/** Nothing is deferred, and there are no tools of Sluice's own. */
const EVERYTHING = {
  maxTools: 1_000_000,
  contextBudget: 1_000_000_000,
  context: { responses: { enabled: false }, catalog: { thresholdBytes: 1_000_000_000 } },
}

export async function catalogs({ smoke }: TrialOptions): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const count of smoke ? SMOKE_MIXES : MIXES) {
    const files = realServers(count)
    if (!files) return [{ servers: NO_DATA }]
    const direct = files.map(toolsIn)
    const compressed = await listedBy(files, EVERYTHING)
    const listed = await listedBy(files)
    rows.push({
      servers: files.length,
      tools: direct.flat().length,
      'direct KB': kilobytes(direct),
      'direct tokens': tokensOf(direct),
      'compressed tokens': tokensOf([compressed]),
      'listed tools': listed.length,
      'listed KB': kilobytes([listed]),
      'listed tokens': tokensOf([listed]),
    })
  }
  return rows
}

// --- internal ---

async function listedBy(files: readonly string[], settings?: object): Promise<readonly unknown[]> {
  const gateway = await openSluice(inFrontOf(files, settings))
  const answer = (await gateway.client.request('tools/list', {})).parse() as { result: { tools: unknown[] } }
  await gateway.close()
  return answer.result.tools
}

/** A list a server, as each client request has it. */
function tokensOf(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((sum, tools) => sum + countTokens(JSON.stringify(tools)), 0)
}

function kilobytes(lists: readonly (readonly unknown[])[]): number {
  return Math.round(lists.reduce((sum, tools) => sum + Buffer.byteLength(JSON.stringify(tools)), 0) / 1_000)
}
