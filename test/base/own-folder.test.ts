import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeOwnFolder } from '../../src/base/own-folder.js'

describe('makeOwnFolder', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-own-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('makes a folder and those above it for their owner alone, once and again', () => {
    const folder = join(root, 'a/b/c')
    makeOwnFolder(folder)
    makeOwnFolder(folder)
    for (const each of [folder, join(root, 'a/b'), join(root, 'a')]) expect(statSync(each).mode & 0o777).toBe(0o700)
  })

  it('fails where a file is in the way', () => {
    writeFileSync(join(root, 'file'), '')
    expect(() => makeOwnFolder(join(root, 'file/below'))).toThrow('ENOTDIR')
  })

  it.runIf(existsSync('/proc/self'))('fails, and ends, where nothing can be made', () => {
    expect(() => makeOwnFolder('/proc/none/sluice')).toThrow('ENOENT')
  })
})
