import { expect, it } from 'vitest'
import { readChallenge } from '../../../src/upstream/oauth/challenge.js'

it.each([
  [401, 'Bearer', { wants: 'token' }],
  [401, 'bearer realm="a, b", scope="x y"', { wants: 'token', scope: 'x y' }],
  [401, 'Basic realm="x", Bearer resource_metadata="https://a/b", scope=z', { resourceMetadata: 'https://a/b', scope: 'z' }],
  [401, 'Bearer scope="a", Basic realm="r", scope="no"', { scope: 'a' }],
  [401, 'Bearer error_description="scope=evil \\"quoted\\"", scope="good"', { scope: 'good' }],
  [403, 'Bearer error="insufficient_scope", scope="w"', { wants: 'scope', scope: 'w' }],
  [403, 'Bearer error="invalid_token"', undefined],
  [403, 'Bearer', undefined],
  [401, 'Basic realm="Bearer of news"', undefined],
  [401, 'Bearers x', undefined],
  [500, 'Bearer', undefined],
  [401, undefined, undefined],
])('reads %i %j', (status, header, expected) => {
  const challenge = readChallenge(status, header)
  if (expected === undefined) expect(challenge).toBeUndefined()
  else expect(challenge).toMatchObject(expected)
})
