import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { rememberTrust, trustOf } from '../../src/config/trust.js'
import { testEnvironment, writeTo } from '../support/environment.js'

const FILE = { path: '/project/sluice.json', bytes: Buffer.from('{}') }

it('knows a file that was remembered, by path and content', () => {
  const { dataDir } = testEnvironment()
  expect(trustOf(FILE, dataDir)).toBe('new')
  rememberTrust({ ...FILE, path: '/other/sluice.json' }, dataDir)
  expect(trustOf(FILE, dataDir)).toBe('new')
  rememberTrust(FILE, dataDir)
  expect(trustOf(FILE, dataDir)).toBe('trusted')
  expect(trustOf({ ...FILE, bytes: Buffer.from('{ }') }, dataDir)).toBe('changed')
})

it('lets nobody else read or list it, even in a folder that was open', () => {
  const { dataDir } = testEnvironment()
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  rememberTrust(FILE, dataDir)
  if (process.platform === 'win32') return
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(dataDir, 'trust.json')).mode & 0o777).toBe(0o600)
})

it('leaves no draft behind', () => {
  const { dataDir } = testEnvironment()
  rememberTrust(FILE, dataDir)
  expect(readdirSync(dataDir)).toEqual(['trust.json'])
})

it.each(['', '{', '[]', '{"files":[]}', '{"files":{"/project/sluice.json":5}}'])(
  'trusts nothing by a broken list, and mends it: %j',
  (list) => {
    const { dataDir } = testEnvironment()
    writeTo(dataDir, 'trust.json', list)
    expect(trustOf(FILE, dataDir)).toBe('new')
    rememberTrust(FILE, dataDir)
    expect(trustOf(FILE, dataDir)).toBe('trusted')
  },
)
