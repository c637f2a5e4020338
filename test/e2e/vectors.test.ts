import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, fixture, openHttpGateway, openStdioGateway } from '../support/gateway.js'
import { allGone, commandLineOf, descendantsOf } from '../support/processes.js'

const USE_LITE = { context: { vector: { enabled: true, model: 'use-lite' } } }
/** Each is a chunk of its own. */
const SECTIONS = [
  [
    'Penguins',
    'These birds cannot fly. They swim well, live on ice and feed on fish. In winter the males keep the egg warm on their feet while the females hunt far away. When the young are hatched, both parents feed them in turn until they can dive on their own. Whales and seals hunt them in the water, gulls steal their eggs on land, and storms take many of the weak ones before spring comes and the ice breaks up again.',
  ],
  [
    'Money',
    'The firm pays its staff at the end of each month. Wages go to the bank account that each worker has named. In December everybody is paid twice. Whoever works at night or on Sundays earns a quarter more for these hours, and overtime is paid with the wages of the following month. Those who leave the firm are paid for the days that they have worked and for the holidays that they have not taken until then.',
  ],
  [
    'Bread',
    'Mix flour, water, salt and yeast, and knead the dough for ten minutes. Let it rest in a warm place until it is twice as large. Form a loaf, heat the oven, and bake it for forty minutes until the crust is brown. Let it cool on a grid before you cut it, or the crumb sticks to the knife. Dark flour needs more water and a longer rest, and old bread can be ground and mixed with the next dough.',
  ],
] as const

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-content-'))
  const empty = (n: number) => `## Page ${n}\n\n${`This is page ${n}, which was left empty. `.repeat(14)}`
  const pages = [
    ...SECTIONS.map(([title, text]) => `## ${title}\n\n${text}`),
    ...Array.from({ length: 30 }, (_, n) => empty(n)),
  ]
  writeFileSync(join(folder, 'pages.md'), pages.join('\n\n'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a gateway with --vector', () => {
  it('finds by meaning what no word finds, one process embedding for all sessions, which ends with the gateway', async () => {
    const gateway = await openHttpGateway({ content: fixture('content-server.js', folder) }, USE_LITE)
    try {
      const sessions = await Promise.all([gateway.connect(), gateway.connect()])
      for (const { client } of sessions) {
        expect(await callText(client, 'content__file', { name: 'pages.md' })).toContain('indexed as')
      }
      for (const { client } of sessions) {
        const found = await searched(client, 'When do employees get their salary?')
        expect(found).toMatch(/^\[1\.1\].* — Money — /m)
      }
      expect(embedders(gateway.pid).length).toBe(1)
      const all = descendantsOf(gateway.pid)
      process.kill(gateway.pid, 'SIGKILL')
      expect(await allGone(all, 10_000)).toBe(true)
    } finally {
      await gateway.close()
    }
  })

  it('goes on by words when the process is killed, and by meaning again with the next one', async () => {
    const gateway = await openStdioGateway({ content: fixture('content-server.js', folder) }, USE_LITE)
    try {
      await callText(gateway.client, 'content__file', { name: 'pages.md' })
      await searched(gateway.client, 'salary of employees')
      const [killed = 0] = embedders(gateway.pid)
      process.kill(killed, 'SIGKILL')
      const at = await callText(gateway.client, 'IndexSearch', { queries: ['penguins'] })
      expect(at).toContain('— Penguins —')
      expect(await searched(gateway.client, 'When do employees get their salary?')).toMatch(/^\[1\.1\].* — Money — /m)
      expect(embedders(gateway.pid)).not.toContain(killed)
    } finally {
      await gateway.close()
    }
  })

  it('searches by words where the model cannot be had, and says so once to each session', async () => {
    const settings = { context: { vector: { enabled: true, model: join(folder, 'nowhere') } } }
    const gateway = await openStdioGateway({ content: fixture('content-server.js', folder) }, settings)
    try {
      await callText(gateway.client, 'content__file', { name: 'pages.md' })
      const answers: string[] = []
      do answers.push(await callText(gateway.client, 'IndexSearch', { queries: ['penguins'] }))
      while (!answers.at(-1)?.includes('Search by meaning is off'))
      expect(answers.at(-1)).toContain('does not exist')
      expect(await callText(gateway.client, 'IndexSearch', { queries: ['penguins'] })).not.toContain('meaning')
      for (const answer of answers) expect(answer).toContain('— Penguins —')
    } finally {
      await gateway.close()
    }
  })

  it('starts no process as long as vectors are off', async () => {
    const gateway = await openStdioGateway({ content: fixture('content-server.js', folder) })
    try {
      await callText(gateway.client, 'content__file', { name: 'pages.md' })
      expect(embedders(gateway.pid)).toEqual([])
    } finally {
      await gateway.close()
    }
  })
})

function embedders(gateway: number): number[] {
  return descendantsOf(gateway).filter((pid) => commandLineOf(pid).includes('/workers/embed.js'))
}

/** The answer once all is embedded and the query has been asked by meaning. */
async function searched(client: Parameters<typeof callText>[0], query: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const found = await callText(client, 'IndexSearch', { queries: [query], source: 'content__' })
    if (!/embedded so far|not ready|Nothing found/.test(found) || tries === 200) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
