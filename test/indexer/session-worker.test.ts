import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openThreadActor, type ThreadActor } from '../../src/actor/thread-actor.js'
import { workerUrl } from '../../src/actor/worker-urls.js'
import type { SessionApi } from '../../src/protocol/session-api.js'
import { resultOf, textFrame } from './session-harness.js'

const TEXT = `the quokka line\n${'some ordinary line\n'.repeat(20_000)}`

describe('workers/session', () => {
  let actor: ThreadActor<SessionApi>

  beforeAll(async () => {
    actor = openThreadActor<SessionApi>(workerUrl('session'), { name: 'session test' })
    await actor.ask('open', {
      session: 'a',
      maxIndexBytes: 1e8,
      names: { search: 'S', read: 'R', call: 'IndexCall' },
      lostLabels: [],
    })
  })

  afterAll(() => actor.stop())

  it('answers with a receipt, then searches and reads what it stands for', async () => {
    const frame = textFrame(TEXT)
    const args = { session: 'a', frame, kind: 'tool', label: 't:1', thresholdBytes: 16_384, idJson: '3' } as const
    const answer = await actor.ask('ingest', args, { transfer: [frame.buffer as ArrayBuffer] })
    expect(frame.byteLength).toBe(0)
    expect(resultOf(answer).content[0].text).toMatch(/^\[Response compressed — 380016 bytes, 20001 lines, indexed as "t:1"\]/)
    const found = await actor.ask('search', { session: 'a', queries: ['quokka'], limit: 5, searchWaitMs: 20_000 })
    expect(found.text).toContain('1\tthe quokka line')
    const read = await actor.ask('read', { session: 'a', label: 't:1', offset: '1', limit: 1, maxBytes: 1000 })
    expect(read.text).toBe('1\tthe quokka line\n[20000 more lines — continue with offset="2"]')
    const original = await actor.ask('original', { session: 'a', label: 't:1', uri: 'u:1' })
    if (original.kind !== 'contents') throw new Error(original.reason)
    expect(JSON.parse(Buffer.from(original.json).toString())).toEqual({
      contents: [{ uri: 'u:1', mimeType: 'text/plain', text: TEXT }],
    })
  })

  it('fails with its code for a session that is not open', async () => {
    await expect(
      actor.ask('read', { session: 'b', label: 't:1', offset: '1', limit: 1, maxBytes: 1000 }),
    ).rejects.toMatchObject({
      code: 'ACTOR_STOPPED',
    })
  })
})
