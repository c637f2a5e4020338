/** What every embedder keeps, wherever it runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Embedder, MAX_BATCH } from '../../src/embed/embedder.js'
import type { Vectors } from '../../src/protocol/vector-api.js'

export interface EmbedderCase {
  readonly embedder: Embedder
  /** One that is asked for a model that is not there. */
  readonly lost: Embedder
  close(): Promise<void>
}

export function embedderContract(name: string, open: () => Promise<EmbedderCase>): void {
  describe(`an embedder, ${name}`, () => {
    let given: EmbedderCase
    beforeAll(async () => {
      given = await open()
    })
    afterAll(() => given.close())

    it('tells of its model what vectors it gives and how far it can be trusted', async () => {
      const facts = await given.embedder.load()
      expect(facts).toMatchObject({ model: 'use-lite', dimensions: 512, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(facts.strength).toBeGreaterThan(0.8)
    })

    it('gives vectors of length 1, in the order of the texts', async () => {
      const texts = ['one apple', 'two pears', 'three cherries']
      const all = await given.embedder.embed(texts, 'passage')
      expect(all.values).toBeInstanceOf(Float32Array)
      expect(all.values.length).toBe(3 * all.dimensions)
      for (const [n, text] of texts.entries()) {
        expect(cosine(all, n, all, n)).toBeCloseTo(1, 4)
        expect(cosine(all, n, await given.embedder.embed([text], 'passage'), 0)).toBeGreaterThan(0.98)
      }
    })

    it('puts what means the same nearer than what does not', async () => {
      const vectors = await given.embedder.embed(['How old are you?', 'What is your age?', 'My phone is good.'], 'query')
      expect(cosine(vectors, 0, vectors, 1)).toBeGreaterThan(cosine(vectors, 0, vectors, 2) + 0.3)
    })

    it('takes any text at all', async () => {
      const texts = ['', ' \n\t', '\ud800', '\0', '🦊'.repeat(50), '中文文本', `word ${'x'.repeat(300_000)}`, '[PAD] </s> <s>']
      const { values, dimensions } = await given.embedder.embed(texts, 'passage')
      expect(texts.length).toBe(MAX_BATCH)
      expect(values.length).toBe(texts.length * dimensions)
      expect(values.every(Number.isFinite)).toBe(true)
    })

    it('serves many asks at once, a query before the passages that wait', async () => {
      const done: string[] = []
      const asks = Array.from({ length: 6 }, (_, n) =>
        given.embedder.embed(Array(MAX_BATCH).fill(`passage number ${n}`), 'passage').then(() => done.push('passage')),
      )
      asks.push(given.embedder.embed(['what is asked'], 'query').then(() => done.push('query')))
      await Promise.all(asks)
      expect(done.indexOf('query')).toBeLessThan(5)
    })

    it('rejects with VECTOR_MODEL where the model is not there, and says what is missing', async () => {
      const failure = expect.objectContaining({ code: 'VECTOR_MODEL', detail: expect.stringContaining('does not exist') })
      await expect(given.lost.load()).rejects.toEqual(failure)
      await expect(given.lost.embed(['a'], 'query')).rejects.toEqual(failure)
    })

    it('rejects what is asked after it is closed', async () => {
      await given.lost.close()
      await given.lost.close()
      await expect(given.lost.embed(['a'], 'query')).rejects.toMatchObject({ code: 'ACTOR_STOPPED' })
    })
  })
}

function cosine(a: Vectors, n: number, b: Vectors, m: number): number {
  let sum = 0
  for (let at = 0; at < a.dimensions; at++) {
    sum += (a.values[n * a.dimensions + at] ?? 0) * (b.values[m * b.dimensions + at] ?? 0)
  }
  return sum
}
