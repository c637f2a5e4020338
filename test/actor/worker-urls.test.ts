import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { workerUrl } from '../../src/actor/worker-urls.js'

describe('workerUrl', () => {
  it('names the same compiled file from the source and from dist', async () => {
    const compiled = (await import(`${new URL('../../dist/src/actor/worker-urls.js', import.meta.url)}`)) as {
      workerUrl: typeof workerUrl
    }
    expect(workerUrl('compute').href).toBe(compiled.workerUrl('compute').href)
    expect(existsSync(workerUrl('compute'))).toBe(true)
  })
})
