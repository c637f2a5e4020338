import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { model } from '../../src/cli/model.js'
import { testEnvironment } from '../support/environment.js'

describe('sluice model', () => {
  it('makes a model, lists it, and tests it', async () => {
    const environment = testEnvironment({ HF_ENDPOINT: 'http://127.0.0.1:1' })
    const said: string[] = []
    const run = (...args: string[]) => model({ args, environment, write: (text) => said.push(text) })
    expect(await run('list')).toBe(0)
    expect(said.at(-1)).toContain('No model in')
    expect(await run('pull', 'use-lite')).toBe(0)
    expect(said.at(-1)).toBe(`use-lite  8.4 MB  ${join(environment.dataDir, 'models', 'use-lite')}\n`)
    expect(await run('list')).toBe(0)
    expect(said.at(-1)).toBe(said.at(-2))
    expect(await run('test', 'use-lite')).toBe(0)
    expect(said.at(-1)).toMatch(
      /^use-lite: works, natively\n {2}512 dimensions, \d+ passages a second\n {2}strength 0\.9\d of 1\n$/,
    )
  })

  it('says what is wrong', async () => {
    const environment = testEnvironment({ HF_ENDPOINT: 'http://127.0.0.1:1' })
    const run = (...args: string[]) => model({ args, environment, write: () => undefined })
    await expect(run('pul')).rejects.toMatchObject({
      code: 'USAGE',
      detail: '"sluice model" has no "pul"; there are pull, list, test',
    })
    await expect(run('pull')).rejects.toMatchObject({
      code: 'VECTOR_MODEL',
      detail: expect.stringContaining('Xenova/all-MiniLM-L6-v2'),
    })
    await expect(run('test', './nowhere')).rejects.toMatchObject({ code: 'VECTOR_MODEL' })
  })
})
