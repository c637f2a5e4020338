import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { type ComputePool, type ComputePoolOptions, createComputePool } from '../../src/actor/compute-pool.js'
import { encodeFrame } from '../../src/protocol/frame.js'

const faultyUrl = new URL('../../dist/test/fixtures/actor-compute-worker.js', import.meta.url)

describe('the compute pool', () => {
  const created: ComputePool[] = []
  const create = (options?: ComputePoolOptions) => {
    const pool = createComputePool(options)
    created.push(pool)
    return pool
  }
  afterEach(async () => {
    await Promise.all(created.splice(0).map((pool) => pool.close()))
  })

  it('tells what a frame is, and gives its bytes back without copying them', async () => {
    const frame = ownBytes({ jsonrpc: '2.0', result: { text: 'x'.repeat(100_000) }, id: 7 })
    const { byteLength } = frame
    const { facts, frame: back } = await create().run('frameFacts', { frame }, { transfer: [frame.buffer as ArrayBuffer] })
    expect(facts).toMatchObject({ kind: 'response', id: 7 })
    expect(frame.byteLength).toBe(0)
    expect(back.byteLength).toBe(byteLength)
    expect(back.buffer.byteLength).toBe(byteLength)
  })

  it('reads the entries of a list', async () => {
    const frame = ownBytes({
      jsonrpc: '2.0',
      id: 1,
      result: { tools: [{ name: 'a', inputSchema: {} }, { name: 'constructor' }] },
    })
    const page = await create().run('readList', { frame, kind: 'tools' })
    expect(page.items.map(({ key }) => key)).toEqual(['a', 'constructor'])
    expect(JSON.parse(page.items[0]?.json ?? '')).toEqual({ name: 'a', inputSchema: {} })
  })

  it('counts tokens, many asks at the same time', async () => {
    const pool = create()
    const texts = ['hello world', '', '<|endoftext|>']
    const asks = Array.from({ length: 20 }, () => pool.run('countTokens', { texts }))
    for (const counts of await Promise.all(asks)) {
      expect(counts).toEqual([
        { tokens: 2, estimated: false },
        { tokens: 0, estimated: false },
        { tokens: expect.any(Number), estimated: false },
      ])
    }
  })

  it('keeps the code of a task that fails, and goes on', async () => {
    const pool = create({ url: faultyUrl })
    await expect(pool.run('countTokens', { texts: ['fail'] })).rejects.toMatchObject({
      name: 'SluiceError',
      code: 'MESSAGE_TOO_LARGE',
      detail: 'too much',
    })
    expect(await pool.run('countTokens', { texts: [] })).toEqual([])
  })

  it.each(['exit', 'throw'])('rejects with ACTOR_DIED when the thread ends in mid-task (%s), and goes on', async (how) => {
    const pool = create({ url: faultyUrl })
    await expect(pool.run('countTokens', { texts: [how] })).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    expect(await pool.run('countTokens', { texts: [] })).toEqual([])
  })

  it('rejects with ACTOR_DIED when its file is missing', async () => {
    const pool = create({ url: new URL('nonesuch.js', faultyUrl) })
    const asks = [1, 2].map(() => pool.run('countTokens', { texts: [] }))
    for (const ask of asks) await expect(ask).rejects.toMatchObject({ code: 'ACTOR_DIED' })
    await expect(pool.run('countTokens', { texts: [] })).rejects.toMatchObject({ code: 'ACTOR_DIED' })
  })

  it('rejects with ACTOR_FAILED what cannot be sent', async () => {
    const texts = [(() => 1) as unknown as string]
    await expect(create().run('countTokens', { texts })).rejects.toMatchObject({ code: 'ACTOR_FAILED' })
  })

  it('rejects with ABORTED when the signal fires, running or waiting, and goes on', async () => {
    const pool = create({ url: faultyUrl })
    const { signal, abort } = controller()
    const asks = [1, 2, 3].map(() => pool.run('countTokens', { texts: ['hang'] }, { signal }))
    await expect(pool.run('countTokens', { texts: [] }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    })
    setTimeout(abort, 100)
    for (const ask of asks) await expect(ask).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await pool.run('countTokens', { texts: [] })).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('rejects with ACTOR_STOPPED what is pending when it is closed, and everything after that', async () => {
    const pool = create({ url: faultyUrl })
    const pending = pool.run('countTokens', { texts: ['hang'] })
    const closing = pool.close()
    await expect(pending).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
    await Promise.all([closing, pool.close()])
    await expect(pool.run('countTokens', { texts: [] })).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
  })
})

function ownBytes(message: object): Uint8Array {
  return new Uint8Array(encodeFrame(message))
}

function controller(): { signal: AbortSignal; abort: () => void } {
  const own = new AbortController()
  return { signal: own.signal, abort: () => own.abort() }
}
