/** The guide that a client gets in place of all instructions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GuideOptions, renderGuide, responsesHint, type ServerBrief } from '../../src/catalog/instructions.js'

const NAMES = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }

function brief(alias: string, more: Partial<ServerBrief> = {}): ServerBrief {
  return { alias, summary: '', headings: [], tools: [], resources: 0, prompts: 0, isStarting: false, ...more }
}

const guide = (servers: readonly ServerBrief[], more: Partial<GuideOptions> = {}) =>
  renderGuide({ servers, names: NAMES, indexesResponses: false, maxBytes: 2_000, ...more })

const SHOP = brief('shop', {
  summary: 'Sells things.',
  headings: ['Orders', 'Returns'],
  tools: ['shop__buy', 'shop__sell'],
  resources: 1,
  prompts: 2,
})

describe('a guide', () => {
  it('says first how to search, then which servers there are and what for', () => {
    const [head, title, ...lines] = guide([SHOP, brief('late', { isStarting: true })]).split('\n')
    expect(head).toMatch(/^Not all tools of these servers are listed\. Find any of them: IndexSearch\(queries=/)
    expect(title).toBe('Servers:')
    expect(lines).toEqual([
      '- shop (2 tools, 1 resource, 2 prompts: shop__buy, shop__sell): Sells things. Topics: Orders, Returns.',
      '- late (starting)',
    ])
  })

  it('drops contents, then names of tools, then the ends of summaries, as room gets less', () => {
    const many = brief('many', {
      ...SHOP,
      summary: `Sells ${'many '.repeat(20)}things.`,
      tools: Array.from({ length: 40 }, (_, at) => `many__${at}`),
    })
    const whole = guide([many], { maxBytes: 10_000 })
    const seen = new Set<string>()
    for (let maxBytes = Buffer.byteLength(whole); maxBytes > 450; maxBytes -= 5) {
      const text = guide([many], { maxBytes })
      seen.add([/Topics/, /many__39/, /things\./, /\(40/].map((part) => (part.test(text) ? 'y' : 'n')).join(''))
    }
    expect([...seen]).toEqual(['yyyy', 'nyyy', 'nnyy', 'nnny'])
  })

  it('gives those that come first what there is not room for all', () => {
    const servers = Array.from({ length: 60 }, (_, at) =>
      brief(`s${at}`, { summary: 'Keeps the books of a shop.', tools: ['x'] }),
    )
    const text = guide(servers)
    const [, , ...lines] = text.split('\n')
    expect(lines).toHaveLength(60)
    const told = lines.filter((line) => line.endsWith(' (1 tool): Keeps the books of a shop.'))
    expect(told.length).toBeGreaterThan(10)
    expect(lines.slice(0, told.length)).toEqual(told)
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_950)
  })

  it('counts the servers that it has no room for, and says how to find them', () => {
    const text = guide(Array.from({ length: 300 }, (_, at) => brief(`server-${at}`, { tools: ['x'] })))
    expect(text).toMatch(/server-0 \(1\), server-1 \(1\), .*, … \d+ more: IndexSearch\(queries=\["\.\.\."\], source="mcp\/"\)$/)
    const shown = [...text.matchAll(/server-\d+/g)].length
    expect(Number(/… (\d+) more/.exec(text)?.[1])).toBe(300 - shown)
  })

  it('never takes more than it may, and is well-formed', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    const servers = fc.array(
      fc.record({
        alias: fc.stringMatching(/^[a-z0-9-]{1,30}$/),
        summary: text,
        headings: fc.array(text, { maxLength: 12 }),
        tools: fc.array(fc.stringMatching(/^[a-z_]{1,50}$/), { maxLength: 60 }),
        resources: fc.nat(300),
        prompts: fc.nat(9),
        isStarting: fc.boolean(),
      }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(servers, fc.integer({ min: 0, max: 4_000 }), fc.boolean(), (briefs, maxBytes, indexesResponses) => {
        const rendered = guide(briefs, { maxBytes, indexesResponses })
        expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(maxBytes)
        expect(rendered.isWellFormed()).toBe(true)
        if (maxBytes >= 700) expect(rendered).toContain('IndexSearch(')
      }),
    )
  })

  it('uses the names that the tools have', () => {
    const names = { search: 'find', read: 'show', call: 'run' }
    expect(guide([SHOP], { names, indexesResponses: true })).not.toContain('Index')
    expect(responsesHint(names)).toMatch(/find .* show /)
  })
})
