import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../src/base/logger.js'
import { Login } from '../../../src/upstream/oauth/login.js'
import { LoginFile } from '../../../src/upstream/oauth/login-file.js'
import { obtainLogin } from '../../../src/upstream/oauth/obtain-login.js'
import { type GuardedServer, guardedServer } from '../../fixtures/guarded-server.js'
import { Issuer } from '../../fixtures/oauth-issuer.js'
import { testEnvironment } from '../../support/environment.js'
import { failure } from '../../support/upstreams.js'

let issuer: Issuer
let server: GuardedServer

beforeEach(async () => {
  issuer = await Issuer.start()
  server = await guardedServer(issuer)
})
afterEach(() => Promise.all([issuer.close(), server.close()]))

async function loggedIn() {
  const { dataDir } = testEnvironment()
  const { url } = server
  const again = () =>
    obtainLogin({
      url,
      headers: {},
      configured: undefined,
      dataDir,
      port: 0,
      deadlineMs: 20_000,
      show: (page) => void fetch(page),
    })
  await again()
  const file = new LoginFile(dataDir, url)
  const open = () => new Login({ file, configured: undefined, logger: silentLogger })
  return { file, open, again }
}

describe('a login', () => {
  it('is renewed once for all who were refused, in this process and in others', async () => {
    const { open } = await loggedIn()
    const processes = [open(), open(), open()]
    const [token] = await Promise.all(processes.map((login) => login.settle()))
    issuer.temper.slowMs = 50
    const renewed = await Promise.all(
      processes.flatMap((login) => Array.from({ length: 10 }, () => login.renewed(token, undefined))),
    )
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(token)
    expect(issuer.refreshes).toBe(1)
  })

  it('keeps its tokens when the issuer fails for now, and is renewed later', async () => {
    const { open, file } = await loggedIn()
    const login = open()
    const token = await login.settle()
    issuer.temper.tokenStatus = 503
    const { code, detail } = await failure(login.renewed(token, undefined))
    expect(code).toBe('UPSTREAM_CONNECT')
    for (const secret of issuer.given) expect(detail).not.toContain(secret)
    expect((await file.read())?.tokens?.accessToken).toBe(token)
    issuer.temper.tokenStatus = undefined
    expect(await login.renewed(token, undefined)).not.toBe(token)
  })

  it('is over when it was revoked, and the dead token is not presented again', async () => {
    const { open, file } = await loggedIn()
    const login = open()
    const token = await login.settle()
    issuer.revokeAll()
    const first = await failure(login.renewed(token, undefined))
    expect([first.code, first.detail]).toEqual([
      'UPSTREAM_LOGIN',
      `needs a login (${issuer.url} says invalid_grant: revoked or used)`,
    ])
    expect((await failure(login.renewed(token, undefined))).code).toBe('UPSTREAM_LOGIN')
    expect((await failure(open().renewed(token, undefined))).code).toBe('UPSTREAM_LOGIN')
    expect(issuer.refreshes).toBe(1)
    expect((await file.read())?.tokens).toBeUndefined()
  })

  it('is renewed before it ends, and the old token does where that fails', async () => {
    issuer.temper.expiresIn = 0
    const { open } = await loggedIn()
    issuer.temper.tokenStatus = 503
    const login = open()
    const token = await login.settle()
    expect(token).toBeDefined()
    issuer.temper.tokenStatus = undefined
    issuer.temper.expiresIn = 3600
    const fresh = open()
    expect(await fresh.settle()).not.toBe(token)
    expect(fresh.settled).toBe(true)
    expect(issuer.refreshes).toBe(1)
  })

  it('never ends where the issuer names no end', async () => {
    issuer.temper.expiresIn = undefined
    const { open } = await loggedIn()
    const login = open()
    expect(login.settled).toBe(false)
    await login.settle()
    expect(login.settled).toBe(true)
  })

  it('takes what another process has got meanwhile', async () => {
    const { open, again } = await loggedIn()
    const login = open()
    const token = await login.settle()
    await again()
    const wants = { wants: 'scope', scope: 'more', resourceMetadata: undefined } as const
    const next = await login.renewed(token, wants)
    expect(next).not.toBe(token)
    const { code, detail } = await failure(login.renewed(next, wants))
    expect([code, detail]).toEqual(['UPSTREAM_SCOPE', expect.stringContaining('the scope "more"')])
    expect(issuer.refreshes).toBe(0)
  })

  it('tells of a login that came after it was read, also before it was watched', async () => {
    const { open, again, file } = await loggedIn()
    await file.remove()
    const login = open()
    expect(await login.settle()).toBeUndefined()
    await again()
    await new Promise<void>((resolve) => {
      const stop = login.watch(() => {
        stop()
        resolve()
      })
    })
    expect(await login.settle()).toBeDefined()
  })

  it('is of no use to another client than the configured one', async () => {
    const { file } = await loggedIn()
    const configured = { clientId: 'another', clientSecret: undefined, scopes: [] }
    const login = new Login({ file, configured, logger: silentLogger })
    expect(await login.settle()).toBeUndefined()
  })

  it('is none where its file is not as it was written', async () => {
    const { file, open } = await loggedIn()
    const login = await file.read()
    await file.write({ ...login!, issuer: 7 as never })
    expect(await open().settle()).toBeUndefined()
  })
})
