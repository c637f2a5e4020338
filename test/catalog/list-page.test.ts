import { expect, it } from 'vitest'
import { readListPage } from '../../src/catalog/list-page.js'

const frame = (text: string) => Buffer.from(text, 'utf8')

it('keeps the text of each entry to the byte', () => {
  const entry = '{ "name":"caf\\u00e9", "size":1.0, "big":12345678901234567890, "nested":{"name":"inner"} }'
  const page = readListPage(
    frame(`{"jsonrpc":"2.0","id":1,"result":{"tools": [ ${entry} ,{"name":"b"}],"nextCursor":"x"}}`),
    'tools',
  )
  expect(page).toEqual({
    items: [
      { key: 'café', json: entry },
      { key: 'b', json: '{"name":"b"}' },
    ],
    members: [],
    dropped: 0,
    nextCursor: 'x',
  })
})

it('counts what nobody could call, and keeps the first of two', () => {
  const entries = '5,null,{},{"name":7},{"name":""},{"name":"a","n":1},{"name":"a","n":2},{"name":"__proto__"}'
  const page = readListPage(frame(`{"id":1,"jsonrpc":"2.0","result":{"tools":[${entries}],"nextCursor":""}}`), 'tools')
  expect(page.items.map(({ json }) => json)).toEqual(['{"name":"a","n":1}', '{"name":"__proto__"}'])
  expect(page.dropped).toBe(5)
  expect(page).not.toHaveProperty('nextCursor')
})

it('keeps the text of what stands beside the entries', () => {
  const result = '{ "x":1.0, "tools":[{"name":"a"}],"nextCursor":"c", "_meta":{ "big":12345678901234567890 },"x":2.0 }'
  expect(readListPage(frame(`{"jsonrpc":"2.0","id":1,"result":${result}}`), 'tools').members).toEqual([
    { key: 'x', json: '2.0' },
    { key: '_meta', json: '{ "big":12345678901234567890 }' },
  ])
})

it.each([
  ['resources', 'uri'],
  ['resourceTemplates', 'uriTemplate'],
  ['prompts', 'name'],
] as const)('reads %s by their %s', (kind, key) => {
  const page = readListPage(
    frame(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { [kind]: [{ [key]: 'k', other: 1 }] } })),
    kind,
  )
  expect(page.items[0]?.key).toBe('k')
})

it('refuses an answer without the list', () => {
  for (const result of ['{}', '{"tools":{}}', '{"tools":null}', '[]']) {
    expect(() => readListPage(frame(`{"jsonrpc":"2.0","id":1,"result":${result}}`), 'tools')).toThrow('without a list of tools')
  }
  expect(() => readListPage(frame('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'), 'tools')).toThrow()
})
