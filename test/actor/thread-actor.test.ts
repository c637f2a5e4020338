import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { openThreadActor, type ThreadActor, type ThreadActorOptions } from '../../src/actor/thread-actor.js'
import type { SluiceError } from '../../src/base/errors.js'
import type { TrialApi } from '../fixtures/actor-api.js'

const url = new URL('../../dist/test/fixtures/actor-worker.js', import.meta.url)

describe('a thread actor', () => {
  const opened: ThreadActor<TrialApi>[] = []
  const start = (options: Partial<ThreadActorOptions> = {}, file = url) => {
    const actor = openThreadActor<TrialApi>(file, { name: 'trial', ...options })
    opened.push(actor)
    return actor
  }
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((actor) => actor.stop()))
  })

  it.each([
    ['is killed', (actor: ThreadActor<TrialApi>) => actor.kill(), 'exited with code 1'],
    ['exits', (actor: ThreadActor<TrialApi>) => actor.ask('exit', { code: 3 }), 'exited with code 3'],
    ['throws outside an ask', (actor: ThreadActor<TrialApi>) => actor.ask('throwLater', { message: 'boom' }), 'boom'],
  ])('rejects every pending ask with ACTOR_DIED when its thread %s', async (_how, end, detail) => {
    const deaths: SluiceError[] = []
    const actor = start({ onDeath: (cause) => deaths.push(cause) })
    await actor.ask('echo', { value: 1 })
    const ending = Promise.allSettled([end(actor)])
    const pending = [actor.ask('never', {}), actor.ask('echo', { value: 2 })]
    for (const ask of pending) {
      await expect(ask).rejects.toMatchObject({ code: 'ACTOR_DIED', detail: expect.stringContaining(detail) })
    }
    await ending
    expect(actor.alive).toBe(false)
    expect(deaths).toMatchObject([{ code: 'ACTOR_DIED' }])
    await expect(actor.ask('echo', { value: 3 })).rejects.toMatchObject({ code: 'ACTOR_DIED' })
  })

  it('rejects with ACTOR_DIED when its file is missing', async () => {
    const actor = start({}, new URL('nonesuch.js', url))
    await expect(actor.ask('echo', { value: 1 })).rejects.toMatchObject({
      code: 'ACTOR_DIED',
      detail: expect.stringContaining('nonesuch.js'),
    })
  })

  it('rejects with ACTOR_DIED when its thread runs out of memory', async () => {
    const actor = start({ resourceLimits: { maxOldGenerationSizeMb: 24 } })
    await expect(actor.ask('hoard', {})).rejects.toMatchObject({ code: 'ACTOR_DIED' })
  })

  it('stops while its thread is in an endless loop, without calling that a death', async () => {
    const deaths: SluiceError[] = []
    const actor = start({ onDeath: (cause) => deaths.push(cause) })
    await actor.ask('echo', { value: 1 })
    const spinning = actor.ask('spin', {})
    await Promise.all([expect(spinning).rejects.toMatchObject({ code: 'ACTOR_STOPPED' }), actor.stop()])
    expect(deaths).toEqual([])
  })

  it('bounds what waits for a thread that does not read its mail', async () => {
    const actor = start()
    await actor.ask('echo', { value: 1 })
    const asks = [actor.ask('spin', {}), ...Array.from({ length: 1_100 }, (_, value) => actor.ask('echo', { value }))]
    const refused = await Promise.allSettled(asks.slice(1_024))
    expect(refused.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
      Array.from({ length: 77 }, () => 'MAILBOX_FULL'),
    )
    const waiting = Promise.allSettled(asks)
    await actor.stop()
    await waiting
  })

  it('sends what its thread prints to stderr, since stdout belongs to MCP', () => {
    const script = `
      const { openThreadActor } = await import(${JSON.stringify(new URL('../../dist/src/actor/thread-actor.js', import.meta.url))})
      const actor = openThreadActor(new URL(${JSON.stringify(url)}), { name: 'trial' })
      await actor.ask('print', { text: 'printed' })
      setTimeout(() => actor.stop(), 50)`
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect({ stdout: child.stdout, stderr: child.stderr, status: child.status }).toEqual({
      stdout: '',
      stderr: 'printed',
      status: 0,
    })
  })
})
