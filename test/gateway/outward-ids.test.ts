import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutwardIds } from '../../src/gateway/outward-ids.js'

const alias = fc.constantFrom('a', 'b', 'c')
const id = fc.constantFrom('', '1', 'a/1', 'b/1', 'b/b/1', 'constructor')

it('gives different ids of servers different forms, one id always the same, and a first one its own', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(alias, id)), (uses) => {
      const ids = new OutwardIds()
      const known = new Map<string, string>()
      for (const [server, own] of uses) {
        const key = JSON.stringify([server, own])
        const taken = new Set(known.values())
        const exposed = ids.expose(server, own)
        if (known.has(key)) expect(exposed).toBe(known.get(key))
        else expect(taken).not.toContain(exposed)
        if (!known.has(key) && !taken.has(own)) expect(exposed).toBe(own)
        known.set(key, exposed)
      }
    }),
  )
})
