import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LoginFile } from '../../../src/upstream/oauth/login-file.js'
import { type LoginOrder, obtainLogin } from '../../../src/upstream/oauth/obtain-login.js'
import { type GuardedServer, guardedServer } from '../../fixtures/guarded-server.js'
import { serve, type TestServer } from '../../fixtures/http-servers.js'
import { Issuer } from '../../fixtures/oauth-issuer.js'
import { testEnvironment } from '../../support/environment.js'
import { failure } from '../../support/upstreams.js'

let issuer: Issuer
let server: GuardedServer
const others: TestServer[] = []

beforeEach(async () => {
  issuer = await Issuer.start()
  server = await guardedServer(issuer)
})
afterEach(() => Promise.all([issuer.close(), server.close(), ...others.splice(0).map((other) => other.close())]))

/** Somebody who wants what is sent to somebody else. */
async function thief(): Promise<TestServer> {
  const other = await serve((_req, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  others.push(other)
  return other
}

function order(more: Partial<LoginOrder> = {}): LoginOrder {
  return {
    url: server.url,
    headers: {},
    configured: undefined,
    dataDir: testEnvironment().dataDir,
    port: 0,
    deadlineMs: 20_000,
    show: (page) => void fetch(page),
    ...more,
  }
}

/** What the refused login says; nothing of it is on disk, and nobody but the issuer was asked for tokens. */
async function refusal(more: Partial<LoginOrder> = {}): Promise<string> {
  const refused = order(more)
  const { code, detail } = await failure(obtainLogin(refused))
  expect(code).toBe('LOGIN_FAILED')
  expect(await new LoginFile(refused.dataDir, refused.url).read()).toBeUndefined()
  return detail
}

describe('a login', () => {
  it('leaves the tokens bound to the issuer and the resource', async () => {
    const wanted = order()
    expect(await obtainLogin(wanted)).toEqual({ issuer: issuer.url, scope: 'files:read' })
    const login = await new LoginFile(wanted.dataDir, server.url).read()
    expect(login).toMatchObject({ server: server.url, issuer: issuer.url, resource: server.url })
    expect(issuer.grantOf(login?.tokens?.accessToken, server.url)).toBeDefined()
    expect(login?.tokens?.expiresAt).toBeGreaterThan(Date.now())
  })

  it('asks for the scopes of the entry, and for a refresh token where the issuer wants to be asked', async () => {
    issuer.temper.metadata = { scopes_supported: ['files:read', 'offline_access'] }
    const configured = { clientId: undefined, clientSecret: undefined, scopes: ['files:all'] }
    expect(await obtainLogin(order({ configured }))).toMatchObject({ scope: 'files:all offline_access' })
  })

  it('finds an issuer that is the server itself, as before there was metadata for resources', async () => {
    const own = await Issuer.start()
    const wanted = order({ url: `${own.url}/mcp` })
    expect(await obtainLogin(wanted)).toEqual({ issuer: own.url, scope: undefined })
    await own.close()
  })

  it('refuses an issuer that is not the one that the server names', async () => {
    issuer.temper.metadata = { issuer: 'https://elsewhere.example' }
    expect(await refusal()).toMatch(/is that of another issuer, https:\/\/elsewhere\.example/)
  })

  it('refuses a redirect in the name of another issuer, or of none', async () => {
    issuer.temper.redirect = { iss: 'https://elsewhere.example' }
    expect(await refusal()).toMatch(/came from https:\/\/elsewhere\.example, not from/)
    expect(issuer.seen.some(({ path }) => path === '/token')).toBe(false)
  })

  it('refuses metadata of another resource', async () => {
    server.metadata['resource'] = 'https://files.example/mcp'
    expect(await refusal()).toMatch(/is about https:\/\/files\.example\/mcp, which is not the server/)
    server.metadata['resource'] = `${server.url}/deeper`
    expect(await refusal()).toMatch(/which is not the server/)
  })

  it('refuses an issuer without PKCE', async () => {
    issuer.temper.metadata = { code_challenge_methods_supported: undefined }
    expect(await refusal()).toMatch(/PKCE/)
    issuer.temper.metadata = { code_challenge_methods_supported: ['plain'] }
    expect(await refusal()).toMatch(/PKCE/)
  })

  it('sends nothing over plain http to another machine', async () => {
    issuer.temper.metadata = { token_endpoint: 'http://issuer.example/token' }
    expect(await refusal()).toMatch(/http:\/\/issuer\.example is not reached by https/)
    server.metadata['authorization_servers'] = ['http://issuer.example']
    expect(await refusal()).toMatch(/not reached by https/)
  })

  it('does not follow the token endpoint to another port', async () => {
    const other = await thief()
    issuer.temper.tokenRedirect = `${other.origin}/token`
    await refusal()
    expect(other.seen).toEqual([])
  })

  it('has a code that is good for one use, at this address', async () => {
    await obtainLogin(order())
    const again = await fetch(`${issuer.url}/token`, { method: 'POST', body: new URLSearchParams(issuer.lastTokenRequest()) })
    expect([again.status, await again.json()]).toMatchObject([400, { error: 'invalid_grant' }])
    expect(await refusal({ show: (page) => void fetch(elsewhere(page)).then(() => undefined), deadlineMs: 300 })).toBe(
      'nobody logged in in time',
    )
  })

  it('takes only the redirect that has its state, and only one', async () => {
    const answers: number[] = []
    const visit = async (to: string | URL) => answers.push((await fetch(to).catch(() => ({ status: 0 }))).status)
    const show = async (page: URL) => {
      const back = page.searchParams.get('redirect_uri') ?? ''
      await visit(`${back}?code=guessed&state=guessed`)
      await visit(`${back}?code=guessed`)
      await visit(new URL('/other', back))
      const { headers } = await fetch(page, { redirect: 'manual' })
      await visit(headers.get('location') ?? '')
      await visit(headers.get('location') ?? '')
    }
    issuer.temper.slowMs = 500
    expect(await obtainLogin(order({ show: (page) => void show(page) }))).toMatchObject({ issuer: issuer.url })
    expect(answers).toEqual([400, 400, 404, 200, 400])
  })

  it('says what the issuer says, and keeps an older login', async () => {
    const wanted = order()
    await obtainLogin(wanted)
    issuer.temper.redirect = { error: 'access_denied', error_description: 'not you' }
    expect((await failure(obtainLogin(wanted))).detail).toBe(`${issuer.url} refused the login: access_denied: not you`)
    expect(await new LoginFile(wanted.dataDir, server.url).read()).toBeDefined()
  })

  it('says what to do where no client can be registered', async () => {
    issuer.temper.registers = false
    expect(await refusal()).toMatch(/put "oauth": {"clientId": …} in the entry/)
  })

  it('shows nothing of an answer that is no error of OAuth', async () => {
    issuer.temper.tokenStatus = 503
    expect(await refusal()).toBe(`${issuer.url} gave no token: its answer is none that OAuth knows`)
  })

  it('says so where there are no logins', async () => {
    const other = await serve((_req, res) => void res.writeHead(404).end())
    others.push(other)
    expect(await refusal({ url: other.url })).toMatch(/publishes nothing about logins; give a key in the entry's "headers"/)
    expect((await failure(obtainLogin(order({ url: 'http://127.0.0.1:1/mcp' })))).code).toBe('UPSTREAM_CONNECT')
  })
})

/** The same page, for a redirect to another port. */
function elsewhere(page: URL): URL {
  const back = new URL(page.searchParams.get('redirect_uri') ?? '')
  back.port = '1'
  page.searchParams.set('redirect_uri', back.href)
  return page
}
