/** The form in which a text is shown. */
import { describe, expect, it } from 'vitest'
import { shownText } from '../../src/text/shown-text.js'

const row = (i: number) => ({ id: i, name: `name ${i}`, price: 1 })

describe('shownText', () => {
  it('re-indents JSON whose lines are longer than 400 characters on average', () => {
    const value = Array.from({ length: 50 }, (_, i) => row(i))
    expect(shownText(JSON.stringify(value))).toEqual({ text: JSON.stringify(value, null, 2), format: 'json', changed: true })
  })

  it('leaves JSON with shorter lines as it is', () => {
    const text = JSON.stringify(
      Array.from({ length: 50 }, (_, i) => row(i)),
      null,
      1,
    )
    expect(shownText(text)).toEqual({ text, format: 'json', changed: false })
    const exactly = `{"a":"${'x'.repeat(392)}"}`
    expect(exactly).toHaveLength(400)
    expect(shownText(exactly).changed).toBe(false)
    expect(shownText(`${exactly} `.replace('x', 'xx')).changed).toBe(true)
  })

  it('leaves everything else as it is', () => {
    const lines = `${JSON.stringify({ a: 'x'.repeat(900) })}\n`.repeat(3)
    expect(shownText(lines)).toEqual({ text: lines, format: 'ndjson', changed: false })
    const long = 'word '.repeat(400)
    expect(shownText(long)).toEqual({ text: long, format: 'plain', changed: false })
  })
})
