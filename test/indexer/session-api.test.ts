import { describe, expect, it } from 'vitest'
import { createSessionApi } from '../../src/indexer/create-session-api.js'
import { openSession, textFrame } from './session-harness.js'

const names = { search: 'IndexSearch', read: 'IndexRead', call: 'IndexCall' }
const text = (word: string) => `${word} is here\n${'some line of text\n'.repeat(5000)}`

describe('a session', () => {
  it('drops its oldest responses at the limit, and says so', async () => {
    const session = await openSession({ maxIndexBytes: 200_000 })
    for (const n of [1, 2, 3]) await session.put(text(`quokka${n}`), `t:${n}`)
    expect(await session.read('t:1')).toEqual({
      text: '"t:1" was dropped from the index: it holds 200,000 bytes of text, and the oldest responses make room for new ones. Call the tool again.',
      isError: true,
    })
    expect((await session.read('t:2')).text).toContain('quokka2 is here')
    expect(await session.search('quokka1', 't:1')).toMatchObject({ isError: true, text: expect.stringMatching(/was dropped/) })
    expect((await session.search('quokka1')).text).toContain('Nothing found')
    expect((await session.search('quokka3')).text).toContain('[1.1] t:3')
    expect(await session.api.original({ session: 's1', label: 't:1', uri: 'u' })).toMatchObject({ kind: 'missing' })
    expect((await session.api.status({})).textBytes).toBeLessThanOrEqual(200_000)
  })

  it('keeps the newest response even when it alone is above the limit', async () => {
    const session = await openSession({ maxIndexBytes: 1000 })
    await session.put(text('quokka1'), 't:1')
    await session.put(text('quokka2'), 't:2')
    expect((await session.search('quokka2')).text).toContain('[1.1] t:2')
    expect((await session.read('t:1')).isError).toBe(true)
    expect(session.faults).toEqual([])
  })

  it('drops a response that is still being indexed without harm', async () => {
    const session = await openSession({ maxIndexBytes: 3_000_000 })
    for (let n = 1; n <= 30; n++) await session.put(text(`quokka${n}`).repeat(5), `t:${n}`)
    expect((await session.search('quokka30')).text).toContain('[1.1] t:30')
    expect(await session.api.status({})).toMatchObject({ pending: 0, sources: 6 })
    expect(session.faults).toEqual([])
  })

  it('holds very many responses', async () => {
    const session = await openSession()
    for (let n = 1; n <= 300; n++) await session.put(`${'word '.repeat(700)}quokka${n}`, `t:${n}`)
    expect((await session.search('quokka299')).text).toContain('[1.1] t:299')
    expect((await session.search('quokka299', 't:')).text).toContain('[1.1] t:299')
    // A whole label means that one, of which others may be the beginning.
    expect((await session.search('quokka299', 't:29')).text).toContain('Nothing found')
    expect((await session.search('quokka29', 't:29')).text).toContain('[1.1] t:29')
  })

  it('says that a label was lost', async () => {
    const session = await openSession({ lostLabels: ['t:1'] })
    expect(await session.read('t:1')).toEqual({
      text: '"t:1" was lost when the session\'s index had to be restarted. Call the tool again.',
      isError: true,
    })
    expect(await session.search('x', 't:1')).toMatchObject({ isError: true, text: expect.stringMatching(/was lost/) })
    await session.put(text('quokka'), 't:2')
    expect((await session.search('quokka')).text).toContain('[1.1] t:2')
  })

  it('never sees another session of its thread', async () => {
    const api = createSessionApi()
    for (const session of ['a', 'b']) {
      await api.open({ session, maxIndexBytes: 1e9, names, lostLabels: [] })
      const frame = textFrame(text(`quokka${session}`))
      await api.ingest({ session, frame, kind: 'tool', label: `t:${session}`, thresholdBytes: 0, idJson: '1' })
    }
    const found = await api.search({ session: 'a', queries: ['quokkaa', 'quokkab'], limit: 5, searchWaitMs: 20_000 })
    expect(found.text).toContain('[1.1] t:a')
    expect(found.text).not.toContain('[2.1]')
    expect((await api.read({ session: 'a', label: 't:b', offset: '1', limit: 1, maxBytes: 999 })).isError).toBe(true)
    expect(await api.status({})).toMatchObject({ sessions: 2, sources: 2 })
    await api.close({ session: 'a' })
    await expect(api.read({ session: 'a', label: 't:a', offset: '1', limit: 1, maxBytes: 999 })).rejects.toMatchObject({
      code: 'ACTOR_STOPPED',
    })
    expect((await api.read({ session: 'b', label: 't:b', offset: '1', limit: 1, maxBytes: 999 })).text).toContain('quokkab')
    await api.close({ session: 'b' })
    await api.close({ session: 'b' })
    expect(await api.status({})).toEqual({ sessions: 0, sources: 0, textBytes: 0, pending: 0, unembedded: 0 })
  })

  it('rejects a search that is waiting when it is closed', async () => {
    const session = await openSession()
    await session.put(text('quokka').repeat(60))
    const search = session.search('quokka')
    await session.api.close({ session: 's1' })
    await expect(search).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
  })
})
