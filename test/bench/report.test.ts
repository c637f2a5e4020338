import { describe, expect, it } from 'vitest'
import { compare } from '../../bench/compare.js'
import { plot } from '../../bench/plot.js'

const outcome = (ms: number) => ({ trial: 'calls', rows: [{ way: 'direct <1>', ms, note: 'x' }] })

describe('the report of a bench', () => {
  it('shows the change of every number that was measured before', () => {
    expect(compare([outcome(2)], [outcome(3), { trial: 'new', rows: [{ way: 'a', ms: 1 }] }])).toEqual([
      { trial: 'calls', rows: [{ way: 'direct <1>', ms: '2 → 3 (+50 %)', note: 'x' }] },
    ])
  })

  it('draws a bar for every number', () => {
    const svg = plot([outcome(3)])
    expect(svg.match(/<rect x=/g)).toHaveLength(1)
    expect(svg).toContain('direct &lt;1&gt;')
  })
})
