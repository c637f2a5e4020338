import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bytesOf, frameOf, openSession, resultOf, textFrame } from './session-harness.js'

const LABEL = 'a__b:1'
const BIG = Array.from({ length: 2000 }, (_, n) => `line ${n + 1} of a long text`).join('\n')
const DATA = `${process.env['SLUICE_DATA'] ?? '../shared/data'}/responses`
const files = listed(DATA)

describe('ingest', () => {
  it('writes the receipt in its exact form', async () => {
    const session = await openSession({ names: { search: 'Find', read: 'Read', call: 'IndexCall' } })
    const text = `# Title\n${BIG}\n## Second\n${BIG}\n`
    const answer = await session.ingest(textFrame(text), { label: 'fs__read_file:3' })
    expect(answer).toMatchObject({ kind: 'receipt', bytes: Buffer.byteLength(text), lines: 4002 })
    const receipt = resultOf(answer).content[0].text as string
    const [head, preview, tail] = /^([^\n]*)\n\n([\s\S]*?)\n(\[… [\s\S]*)$/.exec(receipt)!.slice(1) as [string, string, string]
    expect(head).toBe(`[Response compressed — ${Buffer.byteLength(text)} bytes, 4002 lines, indexed as "fs__read_file:3"]`)
    expect(text.startsWith(`${preview}\n`)).toBe(true)
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(2048)
    expect(Buffer.byteLength(preview)).toBeGreaterThan(1900)
    expect(tail).toBe(
      [
        `[… preview ends at line ${preview.split('\n').length} of 4002]`,
        '',
        '## Contents',
        '- [L1] Title',
        '- [L2002] Second',
        '',
        'Read all of it: Read(label="fs__read_file:3", limit=4002)',
        'Read a range:   Read(label="fs__read_file:3", offset="<line>", limit=<lines>)',
        'Search it:      Find(queries=["<terms>"], source="fs__read_file:3")',
      ].join('\n'),
    )
  })

  it('cuts a first line that alone is too long for the preview', async () => {
    const session = await openSession()
    const receipt = await session.put(`${'é'.repeat(9000)}\nsecond\n`)
    const [, preview] = receipt.split('\n\n')
    expect(preview).toBe(`${'é'.repeat(1024)}\n[… preview ends at line 1 of 2]`)
  })

  it.each([
    ['at the threshold', textFrame('x\n'.repeat(50)), { thresholdBytes: 100 }],
    ['when the receipt would not be smaller', textFrame('short'), { thresholdBytes: 0 }],
    ['without text', frameOf({ content: [{ type: 'image', data: 'AAAA'.repeat(9999), mimeType: 'image/png' }] }), {}],
    ['that is an error', bytesOf(`{"jsonrpc":"2.0","error":{"code":1.0,"message":${JSON.stringify(BIG)}},"id":5}`), {}],
    ['that is a task', frameOf({ task: { taskId: 't' }, content: [{ type: 'text', text: BIG }] }), {}],
    ['of strange shape', frameOf({ content: { type: 'text', text: BIG } }), {}],
    ['with odd blocks', frameOf({ content: [null, 1, 'x', { type: 'text', text: 5 }, { type: 'new', text: BIG }] }), {}],
    ['that is no object', frameOf([1, 2]), {}],
    ['of structuredContent null', frameOf({ content: [], structuredContent: null }), {}],
  ])('passes a result %s with only its id exchanged', async (_, frame, args) => {
    const session = await openSession()
    const sent = Buffer.from(frame).toString()
    const answer = await session.ingest(frame, { ...args, idJson: '"c-9"' })
    expect(answer.kind).toBe('pass')
    const { frame: passed } = answer as { frame: Uint8Array }
    expect(Buffer.from(passed).toString()).toBe(sent.replace(/"id":\d+/, '"id":"c-9"'))
    expect(passed.buffer.byteLength).toBe(passed.byteLength)
    expect(session.faults).toEqual([])
  })

  it.each([['no json'], ['{"jsonrpc":"2.0","result":{}}'], ['{"jsonrpc":"2.0","id":1}'], ['[]'], ['']])(
    'calls %j invalid',
    async (sent) => {
      const session = await openSession()
      expect((await session.ingest(sent)).kind).toBe('invalid')
    },
  )

  it('leaves every byte that is not indexed text as it was', async () => {
    const session = await openSession()
    const before = '{"type":"image","data":"AAAA","mimeType":"image/png","n":1.0}'
    const link = '{"type":"resource_link","uri":"x:\\u002f","size":12345678901234567890}'
    const text = JSON.stringify(BIG)
    const sent = `{"result": {"_meta":{"a":1e400}, "content":[ ${before} ,{"annotations":{"x":1.50},"text":${text},"type":"text"}, ${link},
      {"type":"text","text":"second"},{"type":"resource","resource":{"uri":"f:a","text":"third"}} , ${link} ] ,"structuredContent" : {"k":1.0},"isError":false,"structuredContent":{"k":2.0}},"id":1,"jsonrpc":"2.0"}`
    const answer = await session.ingest(sent)
    const frame = Buffer.from((answer as { frame: Uint8Array }).frame).toString()
    const receipt = JSON.stringify(resultOf(answer).content[1].text)
    expect(frame).toBe(
      `{"result": {"_meta":{"a":1e400}, "content":[ ${before} ,{"annotations":{"x":1.50},"text":${receipt},"type":"text"}, ${link} , ${link} ],"isError":false},"id":7,"jsonrpc":"2.0"}`,
    )
    expect(await session.readAll(LABEL)).toBe(`${BIG}\n\nsecond\n\nthird\n\n{"k":2.0}`)
    expect(receipt).toContain('f:a')
  })

  it('puts the receipt of an embedded resource into a text block', async () => {
    const session = await openSession()
    const answer = await session.ingest(
      frameOf({ content: [{ type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: BIG } }] }),
    )
    expect(resultOf(answer)).toEqual({ content: [{ type: 'text', text: expect.stringMatching(/^\[Response compressed/) }] })
    expect(resultOf(answer).content[0].text).toContain('- [L1] file:///a.md')
    expect(await originals(session)).toEqual([{ uri: 'sluice://response/x', mimeType: 'text/markdown', text: BIG }])
  })

  it.each([
    ['{"structuredContent":S}', '{"content":[R]}'],
    ['{"structuredContent":S,"isError":false}', '{"content":[R],"isError":false}'],
    ['{ "isError":false, "structuredContent":S }', '{"content":[R], "isError":false }'],
    ['{"content":[],"structuredContent":S}', '{"content":[R]}'],
    ['{"structuredContent":S,"content":[{"type":"image","data":""}]}', '{"content":[R,{"type":"image","data":""}]}'],
    ['{"content":null,"structuredContent":S}', '{"content":[R]}'],
  ])('makes a text block where there is only structuredContent: %s', async (sent, got) => {
    const session = await openSession()
    const structured = `{"rows":[${Array.from({ length: 2000 }, (_, n) => `{"n":${n}.0}`)}]}`
    const answer = await session.ingest(`{"jsonrpc":"2.0","id":1,"result":${sent.replace('S', structured)}}`)
    const frame = Buffer.from((answer as { frame: Uint8Array }).frame).toString()
    const block = JSON.stringify({ type: 'text', text: resultOf(answer).content[0].text })
    expect(frame).toBe(`{"jsonrpc":"2.0","id":7,"result":${got.replace('R', () => block)}}`)
    expect(answer).toMatchObject({ kind: 'receipt', bytes: structured.length })
    expect(await originals(session)).toEqual([{ uri: 'sluice://response/x', mimeType: 'application/json', text: structured }])
  })

  it('counts and keeps a structuredContent once that a text block repeats', async () => {
    const session = await openSession()
    const rows = Array.from({ length: 1000 }, (_, n) => ({ n, name: `row ${n}` }))
    const text = JSON.stringify({ total: 1000, rows }, null, 2)
    const answer = await session.ingest(
      frameOf({ content: [{ type: 'text', text }], structuredContent: { rows, total: 1000 } }),
    )
    expect(answer).toMatchObject({ kind: 'receipt', bytes: text.length })
    expect(resultOf(answer)).toEqual({ content: [{ type: 'text', text: expect.any(String) }] })
    expect(await session.readAll(LABEL)).toBe(text)
  })

  it('shows JSON in long lines re-indented and keeps its bytes', async () => {
    const session = await openSession()
    const text = `{"a":1.0,"big":12345678901234567890,"esc":"\\u00e9","rows":[${Array.from({ length: 900 }, (_, n) => `{"id":${n},"title":"issue ${n}"}`)}]}`
    await session.ingest(textFrame(text))
    const { text: head } = await session.read(LABEL, '1', 4)
    expect(head).toMatch(/^1\t\{\n2\t {2}"a": 1\.0,\n3\t {2}"big": 12345678901234567890,\n4\t {2}"esc": "\\u00e9",\n/)
    expect(await originals(session)).toEqual([{ uri: 'sluice://response/x', mimeType: 'application/json', text }])
  })

  it('keeps lone surrogates, NUL and odd escapes', async () => {
    const session = await openSession()
    const odd = `\ud800 a \udc00\ud800 \0 \u2028 ${'filler '.repeat(4000)}`
    await session.ingest(textFrame(odd))
    expect(await session.readAll(LABEL)).toBe(odd)
    expect((await originals(session))[0]?.text).toBe(odd)
    expect((await session.search('filler')).text).toContain('[1.1]')
  })

  it('stores base64 and does not search it', async () => {
    const session = await openSession()
    const base64 = Buffer.from(Array.from({ length: 30_000 }, (_, n) => (n * n) % 251)).toString('base64')
    const text = `data:image/png;base64,${base64}`
    const answer = await session.ingest(
      frameOf({
        content: [
          { type: 'text', text: BIG.slice(0, 500) },
          { type: 'text', text },
        ],
      }),
    )
    const receipt = resultOf(answer).content[0].text as string
    expect(receipt).toContain('[base64 image/png, 30,000 bytes decoded]')
    expect(receipt).not.toContain(base64.slice(0, 100))
    expect((await originals(session))[1]?.text).toBe(text)
    expect((await session.search('png')).text).toContain('Nothing found')
  })

  it('keeps the entry of a resource and the role of a prompt', async () => {
    const session = await openSession()
    const resource = await session.ingest(frameOf({ contents: [{ uri: 'x:1', mimeType: 'text/plain', text: BIG }] }), {
      kind: 'resource',
    })
    expect(resultOf(resource).contents).toEqual([
      { uri: 'x:1', mimeType: 'text/plain', text: expect.stringMatching(/^\[Resp/) },
    ])
    const messages = [
      { role: 'user', content: { type: 'text', text: BIG } },
      { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { role: 'user', content: [{ type: 'text', text: 'more' }] },
    ]
    const prompt = await session.ingest(frameOf({ description: 'd', messages }), { kind: 'prompt', label: 'p:1' })
    expect(resultOf(prompt)).toEqual({
      description: 'd',
      messages: [
        { role: 'user', content: { type: 'text', text: expect.stringMatching(/^\[Resp/) } },
        messages[1],
        { role: 'user', content: [] },
      ],
    })
    expect(await session.readAll('p:1')).toBe(`${BIG}\n\nmore`)
  })

  it.skipIf(files.length === 0).each(files)('keeps %s in every shape a server can send it', async (file) => {
    const text = readFileSync(`${DATA}/${file}`, 'utf8')
    const session = await openSession()
    const parsed = file.endsWith('.json') ? JSON.parse(text) : { text }
    const structured = Array.isArray(parsed) ? { items: parsed } : parsed
    const shapes = [
      { content: [{ type: 'text', text }] },
      { content: [], structuredContent: structured },
      { content: [{ type: 'text', text }], structuredContent: { other: 1 } },
      { content: [{ type: 'resource', resource: { uri: 'u:1', text } }] },
    ]
    for (const [n, shape] of shapes.entries()) {
      const label = `x:${n}`
      const answer = await session.ingest(frameOf(shape), { label, thresholdBytes: 8192 })
      const sent = n === 1 ? JSON.stringify(structured) : text
      const more = n === 2 ? '{"other":1}' : ''
      expect(answer).toMatchObject({ kind: 'receipt', bytes: Buffer.byteLength(sent + more) })
      expect((await originals(session, label)).map((entry) => entry.text)).toEqual(more ? [sent, more] : [sent])
      if (n > 1) continue
      const all = await session.readAll(label, 2 ** 20)
      expect(all.split('\n').length).toBe((answer as { lines: number }).lines)
      expect(all.replace(/\s/g, '')).toBe(sent.replace(/\s/g, ''))
    }
    expect(session.faults).toEqual([])
  })
})

async function originals(session: Awaited<ReturnType<typeof openSession>>, label = LABEL) {
  const answer = await session.api.original({ session: 's1', label, uri: 'sluice://response/x' })
  if (answer.kind !== 'contents') throw new Error(answer.reason)
  expect(answer.json.buffer.byteLength).toBe(answer.json.byteLength)
  return JSON.parse(Buffer.from(answer.json).toString()).contents as { uri: string; mimeType: string; text: string }[]
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
