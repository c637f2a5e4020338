/** Labels of indexed responses, completed for the template under which their originals are read. */
import { afterEach, expect, it } from 'vitest'
import { fixture } from '../support/gateway.js'
import { Stage } from '../support/raw-gateway.js'

const TEMPLATE = 'sluice://response/{+label}'
const stage = new Stage()
afterEach(() => stage.close())

it('gives the labels that start with the value, newest first, at most a hundred', async () => {
  const client = await stage.client('stdio', { one: fixture('standing-server.js') }, SETTINGS)
  expect((await client.initialize()).result?.['capabilities']).toMatchObject({ completions: {} })
  const complete = async (value: unknown, name = 'label', uri = TEMPLATE) => {
    const { result, error } = await client.ask('completion/complete', {
      ref: { type: 'ref/resource', uri },
      argument: { name, value },
    })
    return error?.code ?? result?.['completion']
  }
  expect(await complete('')).toEqual({ values: [], total: 0, hasMore: false })
  for (let n = 1; n <= 12; n++) await client.call('lines', { count: 1000 })
  expect(await complete('lines:1')).toEqual({
    values: ['lines:12', 'lines:11', 'lines:10', 'lines:1'],
    total: 4,
    hasMore: false,
  })
  expect(await complete('Lines')).toEqual({ values: [], total: 0, hasMore: false })
  for (let n = 13; n <= 103; n++) await client.call('lines', { count: 1000 })
  const all = await complete('lines:')
  expect(all).toMatchObject({ total: 103, hasMore: true })
  expect((all as { values: string[] }).values).toEqual(Array.from({ length: 100 }, (_, i) => `lines:${103 - i}`))

  expect(await complete('', 'name')).toBe(-32602)
  expect(await complete(undefined)).toBe(-32602)
})

it('is an error for a template of nobody, and for ours where responses are not indexed', async () => {
  const servers = { one: fixture('standing-server.js'), two: fixture('standing-server.js') }
  const asking = { argument: { name: 'label', value: '' } }
  const client = await stage.ready('stdio', servers, SETTINGS)
  const unknown = { ref: { type: 'ref/resource', uri: 'sluice://other/{+label}' }, ...asking }
  expect((await client.ask('completion/complete', unknown)).error?.code).toBe(-32602)
  const plain = await stage.ready('stdio', servers)
  const ours = { ref: { type: 'ref/resource', uri: TEMPLATE }, ...asking }
  expect((await plain.ask('completion/complete', ours)).error?.code).toBe(-32602)
})

// --- internal ---

const SETTINGS = { naming: 'bare', context: { responses: { thresholdBytes: 1000 } } }
