import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { docs, renderOptions } from '../../src/cli/docs.js'
import { testEnvironment, thrownBy, writeTo } from '../support/environment.js'

function readme(content: string): string {
  return writeTo(testEnvironment().cwd, 'README.md', content)
}

const write = () => undefined

it('writes the tables between the markers and leaves the rest', () => {
  const file = readme('# Top\n\n<!-- options:start -->\nold\n<!-- options:end -->\n\nend\n')
  expect(docs({ check: true, write, readme: file })).toBe(1)
  expect(readFileSync(file, 'utf8')).toContain('old')
  expect(docs({ check: false, write, readme: file })).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(
    `# Top\n\n<!-- options:start -->\n\n${renderOptions()}\n\n<!-- options:end -->\n\nend\n`,
  )
  expect(docs({ check: true, write, readme: file })).toBe(0)
})

it('refuses a README without markers, or none', () => {
  expect(thrownBy(() => docs({ check: true, write, readme: readme('# Top') }))).toMatchObject({ code: 'USAGE' })
  expect(thrownBy(() => docs({ check: true, write, readme: '/nowhere/README.md' }))).toMatchObject({ code: 'USAGE' })
})

it('has a row for every option, with its default', () => {
  const tables = renderOptions()
  expect(tables).toContain('| `naming` | prefixed\\|bare | prefixed |')
  expect(tables).toContain('| `context.responses.thresholdBytes` | bytes | 16 KiB |')
  expect(tables).toContain('| `sessionIdle` | ms | 30 min |')
  expect(tables).toContain('| `maxWorkers` | number | 8 × cores, at most 64 |')
  expect(tables).toContain('| `maxTools` | number | 24 | The most upstream tools that are listed of a large catalog. |')
  expect(tables).toContain('| `command` | name | none |')
  expect(tables).toMatch(/`context.vector.enabled` .*Not in this version yet/)
})
