import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandTemplate } from '../../src/catalog/uri-template.js'

// Examples of RFC 6570, levels 1 to 3, and the prefixes of level 4.
const VALUES = { var: 'value', hello: 'Hello World!', path: '/foo/bar', x: 1024, y: 768, list: ['red', 'green'], empty: '' }

describe('expandTemplate', () => {
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World!'],
    ['{+path}/here', '/foo/bar/here'],
    ['X{#hello}', 'X#Hello%20World!'],
    ['map?{x,y}', 'map?1024,768'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['X{.x,y}', 'X.1024.768'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{?x,y}', '?x=1024&y=768'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{var:3}', 'val'],
    ['{/list*}', '/red,green'],
    ['a{?none,x}', 'a?x=1024'],
    ['a{?none}', 'a'],
  ])('of %s is %s', (template, uri) => {
    expect(expandTemplate(template, VALUES)).toEqual({ uri })
  })

  it('names what is missing, each once', () => {
    expect(expandTemplate('a://{b}/{c}/{b}{?d}', { c: null })).toEqual({ missing: ['b', 'c'] })
    expect(expandTemplate('a://{constructor}', {})).toEqual({ missing: ['constructor'] })
  })

  it('keeps a value in its place, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const made = expandTemplate('a://x/{v}/z', { v: value })
        expect('uri' in made && decodeURIComponent(made.uri.slice(6, -2))).toBe(value.toWellFormed())
      }),
    )
  })
})
