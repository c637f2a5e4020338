import { describe, expect, it } from 'vitest'
import { matchesTemplate, UriTable } from '../../src/catalog/uris.js'

describe('a table of resource URIs', () => {
  it('lists a second server with the same URI under a namespaced one and maps both back', () => {
    const table = new UriTable()
    expect(table.expose('one', 'demo://x')).toBe('demo://x')
    expect(table.expose('two', 'demo://x')).toBe('sluice://server/two/demo://x')
    expect(table.expose('two', 'demo://x')).toBe('sluice://server/two/demo://x')
    expect(table.resolve('demo://x')).toEqual({ alias: 'one', uri: 'demo://x' })
    expect(table.resolve('sluice://server/two/demo://x')).toEqual({ alias: 'two', uri: 'demo://x' })
    expect(table.outward('two', 'demo://x')).toBe('sluice://server/two/demo://x')
    expect(table.outward('two', 'demo://y')).toBe('demo://y')
    expect([table.hasMapped('one'), table.hasMapped('two')]).toEqual([false, true])
  })

  it('reads any URI under the namespace of a server', () => {
    expect(new UriTable().resolve('sluice://server/two/demo://{id}/7')).toEqual({ alias: 'two', uri: 'demo://{id}/7' })
    expect(new UriTable().resolve('sluice://server/two')).toBeUndefined()
    expect(new UriTable().resolve('demo://x')).toBeUndefined()
  })

  it('matches templates by their literals', () => {
    expect(matchesTemplate('demo://resource/{id}/text', 'demo://resource/5/text')).toBe(true)
    expect(matchesTemplate('demo://resource/{id}/text', 'demo://resource/5/blob')).toBe(false)
    expect(matchesTemplate('file:///{+path}', 'file:///a/b c/$d')).toBe(true)
    expect(matchesTemplate('a.b://{x}', 'aXb://1')).toBe(false)
  })
})
