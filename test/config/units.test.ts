import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBytes, parseDuration, renderBytes, renderDuration } from '../../src/config/units.js'

describe('parseDuration', () => {
  it.each([
    [1500, 1500],
    ['1500', 1500],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5 s', 1500],
    ['30 min', 1_800_000],
    ['2 Hours', 7_200_000],
    ['1d', 86_400_000],
    [0, 0],
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 31,
    '25 days',
    'soon',
    '',
    '5 parsecs',
    '5 constructor',
    '-5 s',
    '1e3',
    null,
    true,
    [],
    {},
  ])('refuses %j', (value) => {
    expect(parseDuration(value)).toBeUndefined()
  })

  it('reads back what was rendered', () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(parseDuration(renderDuration(ms))).toBe(ms)
      }),
    )
  })
})

describe('parseBytes', () => {
  it.each([
    [16_384, 16_384],
    ['16 KB', 16_000],
    ['16KiB', 16_384],
    ['256 MiB', 268_435_456],
    ['1.5 gib', 1_610_612_736],
    ['7 bytes', 7],
  ])('reads %j as %d bytes', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes)
  })

  it('reads back what was rendered', () => {
    fc.assert(
      fc.property(fc.nat(), (bytes) => {
        expect(parseBytes(renderBytes(bytes))).toBe(bytes)
      }),
    )
  })
})
