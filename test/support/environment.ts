/** Environments and folders of a test's own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Environment } from '../../src/config/environment.js'

/** A fresh environment whose folders are removed after the test; `home`, `configDir` and `dataDir` do not exist yet. */
export function testEnvironment(variables: Record<string, string> = {}): Environment {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const cwd = path.join(root, 'project')
  mkdirSync(cwd)
  const [home, configDir, dataDir] = ['home', 'config', 'data'].map((name) => path.join(root, name)) as [string, string, string]
  return { variables, cwd, home, configDir, dataDir, platform: process.platform }
}

/** Writes a file, folders included, and returns its path. What is no text is written as JSON. */
export function writeTo(folder: string, name: string, content: unknown): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  writeFileSync(file, isRaw ? content : JSON.stringify(content))
  return file
}

/** What a call throws, which is to be an error. */
export function thrownBy<T extends Error>(call: () => unknown): T {
  try {
    call()
  } catch (error) {
    return error as T
  }
  throw new Error('nothing was thrown')
}
