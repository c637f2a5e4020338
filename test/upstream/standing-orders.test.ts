import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StandingOrders } from '../../src/upstream/standing-orders.js'

/** Orders, and what the server was told. */
function create(logs = true) {
  const told: string[] = []
  const tell = (method: string, params: object) => told.push(`${method} ${Object.values(params)}`)
  return { orders: new StandingOrders({ tell, logs: () => logs }), told }
}

const [one, two, three] = [{}, {}, {}]

describe('standing orders', () => {
  it('end upstream exactly when the last session that holds them leaves', () => {
    const uris = ['a', 'b', 'c']
    const step = fc.record({ who: fc.nat(2), uri: fc.constantFrom(...uris), verb: fc.constantFrom('on', 'off', 'leave') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { orders, told } = create()
        const sessions = [one, two, three]
        const model = sessions.map(() => new Set<string>())
        const held = () => new Set(model.flatMap((own) => [...own]))
        for (const { who, uri, verb } of steps) {
          const [session, own] = [sessions[who] ?? {}, model[who] ?? new Set()]
          told.length = 0
          const before = held()
          if (verb === 'on') expect(orders.subscribe(session, uri)).toBe(!own.has(uri))
          else if (verb === 'off') expect(orders.unsubscribe(session, uri)).toBe(own.has(uri))
          else orders.leave(session)
          if (verb === 'on') own.add(uri)
          else if (verb === 'off') own.delete(uri)
          else own.clear()
          const gone = verb === 'leave' ? [...before].filter((left) => !held().has(left)) : []
          expect(told.sort()).toEqual(gone.map((left) => `resources/unsubscribe ${left}`).sort())
          expect(uris.filter((known) => orders.holds(known))).toEqual(uris.filter((known) => held().has(known)))
          expect(orders.busy).toBe(held().size > 0)
        }
      }),
    )
  })

  it('reach a part of what is held, and not a longer name', () => {
    const { orders } = create()
    for (const uri of ['test://a', 'test://folder/', 'urn:x', 'test://é']) orders.subscribe(one, uri)
    const reached = ['test://a', 'test://a/b', 'test://a?q', 'test://a#f', 'test://folder/x', 'urn:x:y', 'test://é/1']
    for (const uri of reached) expect([uri, orders.reaches(one, uri)]).toEqual([uri, true])
    for (const uri of ['test://ab', 'test://a1', 'test://', 'test://folder', 'test://éa', 'urn:xy', '']) {
      expect([uri, orders.reaches(one, uri)]).toEqual([uri, false])
    }
    expect(orders.reaches(two, 'test://a')).toBe(false)
  })

  it('keep a server from stopping for as long as a task runs or may be asked for', () => {
    const { orders } = create()
    orders.taskRuns(one, '1')
    orders.taskRuns(two, '2', 60_000)
    orders.taskRuns(two, '3', 0)
    orders.taskEnded(two, '1')
    orders.taskEnded(two, '2')
    expect(orders.busy).toBe(true)
    orders.taskEnded(one, '1')
    expect(orders.busy).toBe(false)
    orders.taskRuns(one, '4')
    orders.forgetTasks()
    expect(orders.busy).toBe(false)
  })

  it('are told anew, each once, the level only to a server that logs', () => {
    for (const logs of [true, false]) {
      const { orders, told } = create(logs)
      for (const session of [one, two]) orders.subscribe(session, 'a')
      orders.setLevel(one, 'error')
      orders.setLevel(two, 'notice')
      orders.setLevel(three, 'odd')
      orders.renew()
      expect(told).toEqual([...(logs ? ['logging/setLevel notice'] : []), 'resources/subscribe a'])
    }
  })

  it('leave the level as it is when nobody has set another', () => {
    const { orders, told } = create()
    orders.setLevel(one, 'error')
    orders.leave(one)
    orders.leave(two)
    expect([orders.level, told]).toEqual([undefined, []])
  })
})
