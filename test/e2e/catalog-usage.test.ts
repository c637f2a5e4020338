/** What a session uses comes to the next session's list, and nothing is written where nothing is to be. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CatalogRun, CatalogStage, type Servers } from '../support/catalog-stage.js'
import { generatedCatalog } from '../support/generated-catalogs.js'

const stage = new CatalogStage()
afterEach(() => stage.close())

const TOOL = 'forge__contract_merge_49'
const ARGS = { name: TOOL }
const FILE = 'data/sluice/usage.db'

const servers = () =>
  stage.serve({ shop: generatedCatalog('shop', { tools: 60 }), forge: generatedCatalog('forge', { tools: 60 }) })

/** A session that calls the tool, and what it had listed. */
async function session(entries: Servers, run: CatalogRun, calls = 0): Promise<string[]> {
  const client = await stage.open(entries, run)
  const names = await client.toolNames()
  for (let call = 0; call < calls; call++) await client.text('IndexCall', ARGS)
  await client.close()
  return names
}

describe('a hidden tool that was called', () => {
  it('is listed by the next session, and again the same by the one after', async () => {
    const [home, entries] = [stage.folder(), servers()]
    const before = await session(entries, { home }, 5)
    expect(before).not.toContain(TOOL)
    const after = await session(entries, { home })
    expect(after).toContain(TOOL)
    expect(await session(entries, { home })).toEqual(after)
    expect(statSync(join(home, FILE)).mode & 0o777).toBe(0o600)
  })

  it('comes before all that were never used, where there is room for one', async () => {
    const [home, entries] = [stage.folder(), servers()]
    const run = { home, settings: { maxTools: 1 } }
    await session(entries, run, 2)
    expect((await session(entries, run)).at(-1)).toBe(TOOL)
  })

  it('counts for nothing where lists are not to adapt', async () => {
    const [home, entries] = [stage.folder(), servers()]
    await session(entries, { home }, 5)
    expect(await session(entries, { home, settings: { adaptive: false } })).not.toContain(TOOL)
  })

  it.each<[string, CatalogRun]>([
    ['--no-stats', { flags: ['--no-stats'] }],
    ['stats: false', { settings: { stats: false } }],
  ])('leaves no file with %s', async (_, run) => {
    const [home, entries] = [stage.folder(), servers()]
    await session(entries, { ...run, home }, 5)
    expect(readdirSync(join(home, 'data/sluice')).sort()).toEqual(['catalogs', 'machine.key', 'prepared'])
    expect(await session(entries, { home })).not.toContain(TOOL)
  })
})
