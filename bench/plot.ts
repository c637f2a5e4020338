/** The bench's numbers as an SVG: a panel a trial, in it a group of bars a column, a bar a row, each group to its own scale. */
import type { Outcome } from './compare.js'
import type { Row } from './trials.js'

export function plot(outcomes: readonly Outcome[]): string {
  const panels: string[] = []
  let y = MARGIN
  for (const outcome of outcomes) {
    const { svg, height } = panelOf(outcome, y)
    panels.push(svg)
    y += height + MARGIN
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${panels.join('\n')}
</svg>
`
}

// --- internal ---

const WIDTH = 900
const MARGIN = 20
const LINE = 15
const LABEL = 330
const BAR = 420
const COLORS = ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#3ca951', '#a463f2']

function panelOf({ trial, rows }: Outcome, top: number): { svg: string; height: number } {
  const parts = [text(MARGIN, top + LINE, trial, 'font-weight="bold" font-size="14"')]
  let y = top + LINE * 2
  for (const column of numericColumns(rows)) {
    const most = Math.max(...rows.map((row) => Math.abs(Number(row[column]) || 0)), Number.MIN_VALUE)
    parts.push(text(MARGIN, y + LINE, column, 'fill="#555"'))
    for (const [n, row] of rows.entries()) {
      const value = row[column]
      if (typeof value !== 'number') continue
      const width = Math.max(1, (Math.abs(value) / most) * BAR)
      const color = COLORS[n % COLORS.length]
      parts.push(text(LABEL - 8, y + LINE, String(Object.values(row)[0]), 'text-anchor="end"'))
      parts.push(`<rect x="${LABEL}" y="${y + 4}" width="${width.toFixed(1)}" height="${LINE - 4}" fill="${color}"/>`)
      parts.push(text(LABEL + width + 6, y + LINE - 1, String(value)))
      y += LINE
    }
    y += LINE / 2
  }
  return { svg: parts.join('\n'), height: y - top }
}

/** The first names the rows. */
function numericColumns(rows: readonly Row[]): string[] {
  const columns = new Set(rows.flatMap((row) => Object.keys(row).slice(1)))
  return [...columns].filter((column) => rows.some((row) => typeof row[column] === 'number'))
}

function text(x: number, y: number, words: string, attributes = ''): string {
  const escaped = words.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  return `<text x="${x.toFixed(1)}" y="${y}" ${attributes}>${escaped}</text>`
}
