import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSession } from './session-harness.js'

const LABEL = 'a__b:1'
const unit = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(
    '\n',
    '\n\n',
    '\r\n',
    '\0',
    '\t',
    '\\',
    '\\u00e9',
    '\\ud83d\\ude00',
    '😀',
    '\ud800',
    '\udc00',
    '漢字',
    '\u2028',
  ),
  fc
    .tuple(fc.constantFrom('x', '😀', '\\n', '\\\\', 'é'), fc.integer({ min: 900, max: 5000 }))
    .map(([what, n]) => what.repeat(n)),
)
const text = fc
  .array(unit, { minLength: 1, maxLength: 40 })
  .map((units) => `${units.join('')}${'line of the text\n'.repeat(300)}`)

describe('IndexRead', () => {
  it('gives back every text to the code unit, however it is read', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 70_000 }), async (sent, maxBytes) => {
        const session = await openSession()
        await session.put(sent)
        expect(session.faults).toEqual([])
        expect(await session.readAll(LABEL, maxBytes)).toBe(sent.slice(0, -1))
      }),
      { numRuns: 60 },
    )
  })

  it('numbers right-aligned, stops at the limit and says where to go on', async () => {
    const session = await openSession()
    await session.put(Array.from({ length: 1000 }, (_, n) => `line ${n + 1}`).join('\n'))
    const { text } = await session.read(LABEL, '98', 3)
    expect(text).toBe(' 98\tline 98\n 99\tline 99\n100\tline 100\n[900 more lines — continue with offset="101"]')
    expect((await session.read(LABEL, '999')).text).toBe(' 999\tline 999\n1000\tline 1000')
  })

  it('splits a long line into parts that an offset may name', async () => {
    const session = await openSession()
    const long = 'abcdefghij'.repeat(650)
    await session.put(`first\n${long}\nlast${'\nmore'.repeat(1000)}`)
    const { text } = await session.read(LABEL, '2-3', 2)
    expect(text.split('\n')).toEqual([
      `2-3\t${long.slice(4000, 6000)}`,
      `2-4\t${long.slice(6000)}`,
      '  3\tlast',
      '[1000 more lines — continue with offset="4"]',
    ])
  })

  it('stays below maxBytes and goes on inside of a line', async () => {
    const session = await openSession()
    await session.put(`${'é'.repeat(50_000)}\nend`)
    const { text } = await session.read(LABEL, '1', 10, 20_000)
    expect(Buffer.byteLength(text)).toBeLessThan(20_000)
    expect(text).toMatch(/\n\[2 more lines — continue with offset="1-5"\]$/)
  })

  it.each([
    ['0', /no offset/],
    ['-1', /no offset/],
    ['x', /no offset/],
    ['1-0', /no offset/],
    ['', /no offset/],
    ['1e3', /no offset/],
    ['9999999999999999999', /no offset/],
    ['2001', /beyond the end: the text has 2000 lines/],
    ['3-2', /line 3 has 1 part/],
  ])('refuses the offset %s clearly', async (offset, said) => {
    const session = await openSession()
    await session.put('some line\n'.repeat(2000))
    expect(await session.read(LABEL, offset)).toMatchObject({ isError: true, text: expect.stringMatching(said) })
  })

  it('names the nearest labels for an unknown one', async () => {
    const session = await openSession()
    await session.put('some line\n'.repeat(2000), 'jira__getIssue:1')
    expect(await session.read('jira__getIsue:1')).toEqual({
      text: 'Nothing is indexed under "jira__getIsue:1". Nearest labels: "jira__getIssue:1".',
      isError: true,
    })
  })

  it('keeps a carriage return in the text', async () => {
    const session = await openSession()
    await session.put('one\r\ntwo\r\n'.repeat(1000))
    expect((await session.read(LABEL, '1', 1)).text).toMatch(/^1\tone\r\n\[/)
  })
})
