import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.js'
import type { JwtConfig } from '../../src/config/config.js'
import { openAccess } from '../../src/transport/access.js'
import { TokenFile } from '../../src/transport/token-file.js'
import { json, serve } from '../fixtures/http-servers.js'
import { testEnvironment } from '../support/environment.js'
import { message, startGateway } from '../support/http-gateway.js'
import { GET_HEADERS, POST_HEADERS, send } from '../support/raw-http.js'
import { until } from '../support/upstreams.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function stage({
  jwt,
  names = [],
  hostname = '127.0.0.1',
}: {
  jwt?: JwtConfig
  names?: string[]
  hostname?: string
} = {}) {
  const file = new TokenFile(testEnvironment().dataDir)
  const tokens = new Map<string, string>()
  for (const name of names) tokens.set(name, (await file.add(name)) ?? '')
  const access = await openAccess({ tokens: file, jwt, logger: silentLogger })
  closing.push(() => access.close())
  const gateway = await startGateway({ access, hostname })
  closing.push(() => gateway.close())
  /** @param token undefined: without one */
  const post = (token: string | undefined, body: string, session?: string) =>
    send(
      gateway.url,
      'POST',
      {
        ...POST_HEADERS,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body,
    )
  const open = async (token: string | undefined) => String((await post(token, INITIALIZE)).headers['mcp-session-id'])
  const ping = async (token: string | undefined, session: string) => (await post(token, message(2, 'ping'), session)).status
  return { file, tokens, gateway, post, open, ping }
}

const INITIALIZE = message(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c' } })

describe('tokens', () => {
  it('are wanted for every request where there are any', async () => {
    const { tokens, gateway, post, open, ping } = await stage({ names: ['ann'] })
    const refused = await post(undefined, INITIALIZE)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    const session = await open(tokens.get('ann'))
    expect(await ping(tokens.get('ann'), session)).toBe(200)
    expect(await ping(undefined, session)).toBe(401)
    const wrong = await post(`${tokens.get('ann')}x`, message(2, 'ping'), session)
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"'])
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect((await send(gateway.url, method, { 'mcp-session-id': session })).status).toBe(401)
    expect((await send(gateway.url.replace('/mcp', '/elsewhere'), 'GET', {})).status).toBe(401)
  })

  it('are told apart by name: nobody else has a session of theirs', async () => {
    const { tokens, gateway, open, ping } = await stage({ names: ['ann', 'bob'] })
    const session = await open(tokens.get('ann'))
    expect(gateway.host.last.facts).toMatchObject({ clientName: 'ann' })
    expect(await ping(tokens.get('bob'), session)).toBe(404)
    const bob = { authorization: `Bearer ${tokens.get('bob')}`, 'mcp-session-id': session }
    expect((await send(gateway.url, 'GET', { ...GET_HEADERS, ...bob })).status).toBe(404)
    expect((await send(gateway.url, 'DELETE', bob)).status).toBe(404)
    expect(await ping(tokens.get('ann'), session)).toBe(200)
  })

  it('let a probe know no more than that the gateway lives', async () => {
    const { tokens, gateway } = await stage({ names: ['ann'] })
    const health = (headers = {}) => send(gateway.url.replace('/mcp', '/healthz'), 'GET', headers)
    expect(JSON.parse((await health()).text)).toEqual({ status: 'ok' })
    const known = await health({ authorization: `Bearer ${tokens.get('ann')}` })
    expect(JSON.parse(known.text)).toMatchObject({ status: 'ok', sessions: 0, version: expect.any(String) })
  })

  it('are on disk as hashes, for the owner alone', async () => {
    const { file, tokens } = await stage({ names: ['ann', 'bob'] })
    const text = readFileSync(file.path, 'utf8')
    for (const token of tokens.values()) {
      expect(token).toMatch(/^sluice_[\w-]{43}$/)
      expect(text).not.toContain(token)
      expect(text).not.toContain(token.slice('sluice_'.length))
    }
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(await file.add('ann')).toBeUndefined()
    expect((await file.read()).map(({ name }) => name)).toEqual(['ann', 'bob'])
  })

  it('count as soon as they are added or revoked, and revoking the last one opens nothing', async () => {
    const { file, gateway, open, post, ping } = await stage()
    const before = await open(undefined)
    expect(await ping(undefined, before)).toBe(200)
    const ann = await file.add('ann')
    await until(() => gateway.host.last.closed)
    expect((await post(undefined, INITIALIZE)).status).toBe(401)
    const session = await open(ann)
    expect(await ping(ann, session)).toBe(200)
    expect(await file.revoke('ann')).toBe(true)
    await until(() => gateway.host.last.closed)
    expect(await ping(ann, session)).toBe(401)
    expect((await post(undefined, INITIALIZE)).status).toBe(401)
    expect(await file.revoke('ann')).toBe(false)
  })

  it('let nobody in who finds their file broken', async () => {
    const { file, tokens, ping, open } = await stage({ names: ['ann'] })
    const session = await open(tokens.get('ann'))
    writeFileSync(file.path, '{"tokens": [')
    await expect(file.read()).rejects.toMatchObject({ code: 'TOKEN_FILE' })
    await expect(file.add('bob')).rejects.toMatchObject({ code: 'TOKEN_FILE' })
    await expect(openAccess({ tokens: file, jwt: undefined, logger: silentLogger })).rejects.toMatchObject({
      code: 'TOKEN_FILE',
    })
    expect(await ping(tokens.get('ann'), session)).toBe(200)
  })

  it('all arrive when many are added at the same time', async () => {
    const file = new TokenFile(testEnvironment().dataDir)
    const names = Array.from({ length: 12 }, (_, i) => `client-${i}`)
    await Promise.all(names.map((name) => file.add(name)))
    expect((await file.read()).map(({ name }) => name).sort()).toEqual([...names].sort())
  })
})

describe('a JWT', () => {
  const ISSUER = 'https://issuer.example'
  const AUDIENCE = 'https://gateway.example/mcp'

  async function issuer() {
    const [known, unknown] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
    const jwk = { ...(await exportJWK(known.publicKey)), kid: '1', alg: 'ES256' }
    const server = await serve((_req, res) => json(res, JSON.stringify({ keys: [jwk] })), '/jwks')
    closing.push(server.close)
    const jwt = { issuer: ISSUER, audience: AUDIENCE, jwks: server.url }
    const sign = (
      claims: Record<string, unknown> = {},
      { iss = ISSUER, aud = AUDIENCE, exp = '5m', key = known.privateKey } = {},
    ) =>
      new SignJWT({ sub: 'carol', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: '1' })
        .setIssuer(iss)
        .setAudience(aud)
        .setExpirationTime(exp)
        .sign(key)
    return { jwt, sign, unknown: unknown.privateKey, secret: jwk }
  }

  it('lets its subject in, beside tokens', async () => {
    const { jwt, sign } = await issuer()
    const { tokens, gateway, open, ping } = await stage({ jwt, names: ['carol'] })
    const session = await open(await sign())
    expect(gateway.host.last.facts).toMatchObject({ clientName: 'carol' })
    expect(await ping(await sign({ jti: 'another' }), session)).toBe(200)
    expect(await ping(await sign({ sub: 'dave' }), session)).toBe(404)
    expect(await ping(tokens.get('carol'), session)).toBe(404)
    expect(gateway.host.sessions.length).toBe(1)
  })

  it('is refused when it is of another issuer, for another audience, over, or signed by another', async () => {
    const { jwt, sign, unknown } = await issuer()
    const { post, gateway } = await stage({ jwt })
    const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ sub: 'x', iss: ISSUER, aud: AUDIENCE, exp: 9e9 }))}.`
    const refused = [
      await sign({}, { iss: 'https://elsewhere.example' }),
      await sign({}, { aud: 'https://elsewhere.example/mcp' }),
      await sign({}, { exp: '-1m' }),
      await sign({}, { key: unknown }),
      await sign({ sub: undefined }),
      none.replaceAll('=', ''),
      `${(await sign()).slice(0, -4)}AAAA`,
      'no.jwt.at-all',
      '',
    ]
    for (const token of refused) {
      const { status, headers } = await post(token, INITIALIZE)
      expect([token, status]).toEqual([token, 401])
      expect(headers['www-authenticate']).toBe(
        'Bearer error="invalid_token", resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp"',
      )
    }
    expect(gateway.host.sessions).toEqual([])
  })

  it('is refused while the keys cannot be had', async () => {
    const { jwt, sign } = await issuer()
    const { post } = await stage({ jwt: { ...jwt, jwks: 'http://127.0.0.1:1/jwks' } })
    expect((await post(await sign(), INITIALIZE)).status).toBe(401)
  })

  it('is announced as RFC 9728 has it', async () => {
    const { jwt } = await issuer()
    const { gateway } = await stage({ jwt })
    const { status, text } = await send(new URL('/.well-known/oauth-protected-resource/mcp', gateway.url).href, 'GET', {})
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { resource: AUDIENCE, authorization_servers: [ISSUER], bearer_methods_supported: ['header'] },
    ])
  })
})
