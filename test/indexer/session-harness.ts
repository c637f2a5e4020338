/** A session API with one open session, and short words for what tests ask of it. */
import { afterEach } from 'vitest'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import type { IngestAnswer, IngestArgs, OpenArgs, SessionApi } from '../../src/protocol/session-api.js'

export interface Harness {
  readonly api: SessionApi
  readonly faults: unknown[]
  ingest(frame: Uint8Array | string, args?: Partial<IngestArgs>): Promise<IngestAnswer>
  /** Ingests a tool result of one text block, and gives its receipt. */
  put(text: string, label?: string): Promise<string>
  read(label: string, offset?: string, limit?: number, maxBytes?: number): Promise<{ text: string; isError: boolean }>
  /** All of a source, read from answer to answer. */
  readAll(label: string, maxBytes?: number): Promise<string>
  search(queries: string | string[], source?: string, limit?: number): Promise<{ text: string; isError: boolean }>
}

const SESSION = 's1'

/** @param open what differs from an ordinary session */
export async function openSession(open: Partial<OpenArgs> = {}): Promise<Harness> {
  const faults: unknown[] = []
  const api = createSessionApi({ onFault: (fault) => faults.push(fault) })
  const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
  await api.open({ session: SESSION, maxIndexBytes: 2 ** 28, names, lostLabels: [], ...open })
  opened.push(api)
  const harness: Harness = {
    api,
    faults,
    ingest: (frame, args = {}) =>
      api.ingest({
        session: SESSION,
        frame: bytesOf(frame),
        kind: 'tool',
        label: 'a__b:1',
        thresholdBytes: 0,
        idJson: '7',
        ...args,
      }),
    put: async (text, label = 'a__b:1') => {
      const answer = await harness.ingest(textFrame(text), { label, thresholdBytes: -1 })
      return answer.kind === 'receipt' ? resultOf(answer).content[0].text : answer.kind
    },
    read: (label, offset = '1', limit = 200, maxBytes = 65_536) =>
      api.read({ session: SESSION, label, offset, limit, maxBytes }),
    readAll: async (label, maxBytes = 65_536) => {
      let offset: string | undefined = '1'
      let text = ''
      while (offset !== undefined) {
        const answer = await harness.read(label, offset, 1e9, maxBytes)
        if (answer.isError) throw new Error(answer.text)
        const found: RegExpExecArray | null = /\n\[\d+ more lines — continue with offset="([\d-]+)"\]$/.exec(answer.text)
        text = joined(text, found ? answer.text.slice(0, found.index) : answer.text)
        offset = found?.[1]
      }
      return text
    },
    search: (queries, source, limit = 5) =>
      api.search({
        session: SESSION,
        queries: typeof queries === 'string' ? [queries] : queries,
        limit,
        searchWaitMs: 20_000,
        ...(source !== undefined && { source }),
      }),
  }
  return harness
}

/** A JSON-RPC response with this result, as bytes. */
export function frameOf(result: unknown, id: number | string = 1): Uint8Array {
  return bytesOf(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

export function textFrame(text: string): Uint8Array {
  return frameOf({ content: [{ type: 'text', text }] })
}

export function bytesOf(frame: Uint8Array | string): Uint8Array {
  return new Uint8Array(typeof frame === 'string' ? Buffer.from(frame) : frame)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export function resultOf(answer: IngestAnswer): any {
  if (answer.kind === 'invalid') throw new Error(answer.reason)
  return JSON.parse(Buffer.from(answer.frame).toString()).result
}

// --- internal ---

const opened: SessionApi[] = []

afterEach(async () => {
  for (const api of opened.splice(0)) await api.close({ session: SESSION })
})

/** Numbered lines without their numbers; parts of a line joined to it. */
function joined(before: string, numbered: string): string {
  let text = before
  // A "\n" in the answer is always a line break of the text or one between two parts, as no row holds one.
  for (const row of numbered.split('\n')) {
    const tab = row.indexOf('\t')
    const [, line, part] = /^ *(\d+)(?:-(\d+))?$/.exec(row.slice(0, tab)) ?? []
    if (line === undefined) throw new Error(`no number: ${JSON.stringify(row.slice(0, 40))}`)
    const goesOn = part !== undefined && part !== '1'
    text += `${goesOn || (line === '1' && text === '') ? '' : '\n'}${row.slice(tab + 1)}`
  }
  return text
}
