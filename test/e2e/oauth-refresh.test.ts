/** Two gateways, one login: what happens to calls when its token ends, and when it is revoked. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GuardedServer, guardedServer } from '../fixtures/guarded-server.js'
import { Issuer } from '../fixtures/oauth-issuer.js'
import { CLI, createHome, type Home, isolatedEnv } from '../support/gateway.js'
import { runLogin } from '../support/login.js'
import { RawClient } from '../support/raw-client.js'
import { stdioWire } from '../support/raw-wire.js'

let issuer: Issuer
let server: GuardedServer
let home: Home
let clients: RawClient[]

beforeAll(async () => {
  issuer = await Issuer.start()
  server = await guardedServer(issuer)
  home = createHome({ files: { url: server.url } }, { context: { responses: { enabled: false } } })
  await runLogin(home, 'files')
  const args = [CLI, '--config', home.config]
  clients = [1, 2].map(() => new RawClient(stdioWire({ command: process.execPath, args }, isolatedEnv(home.folder))))
  await Promise.all(clients.map((client) => client.initialize({})))
  await Promise.all(clients.map((client) => client.call('files__read')))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await Promise.all([issuer.close(), server.close()])
  home.remove()
})

const fortyCalls = () => Promise.all(clients.flatMap((client) => Array.from({ length: 20 }, () => client.call('files__read'))))

it('refreshes once for forty calls at once in two gateways, and loses none', async () => {
  issuer.temper.slowMs = 100
  for (const round of [1, 2, 3]) {
    issuer.expireAccess()
    const answers = await fortyCalls()
    expect(answers.filter(({ result }) => result === undefined)).toEqual([])
    expect(issuer.refreshes).toBe(round)
  }
})

it('ends in one clear message when the login was revoked, and asks nobody again and again', async () => {
  const before = issuer.refreshes
  issuer.revokeAll()
  const messages = (await fortyCalls()).map(({ error }) => error?.message ?? '')
  for (const message of messages) {
    expect(message).toMatch(
      /^server "files" needs a login \(.*\); run: sluice login files --config \S+ \(UPSTREAM_LOGIN: .*\)$/,
    )
  }
  expect(issuer.refreshes - before).toBe(1)
  const asked = server.seen.length
  await Promise.all(clients.map((client) => client.ask('ping')))
  const { error } = (await clients[0]?.call('files__read')) ?? {}
  expect(error?.message).toMatch(/; run: sluice login files/)
  expect(issuer.refreshes - before).toBe(1)
  expect(server.seen.length - asked).toBeLessThan(5)
})
