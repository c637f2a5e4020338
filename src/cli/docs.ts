/** The option tables of the README, made from the schemas, so that they cannot differ from what the code does. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { SluiceError } from '../base/errors.js'
import { packageRoot } from '../base/version.js'
import { entrySchema } from '../config/entry-options.js'
import { type OptionRow, optionRows } from '../config/option-schema.js'
import { settingsSchema } from '../config/options.js'
import { renderBytes, renderDuration } from '../config/units.js'

interface DocsOptions {
  /** Change nothing, and return 1 where something would change. */
  readonly check: boolean
  readonly write: (text: string) => void
  /** The README of this package by default. */
  readonly readme?: string
}

/**
 * Writes the tables between the README's markers and returns the exit code.
 * @throws USAGE where there is no such README
 */
export function docs({ check, write, readme = path.join(packageRoot(), 'README.md') }: DocsOptions): number {
  const before = readReadme(readme)
  const [head, tail] = [before.indexOf(START), before.indexOf(END)]
  if (head < 0 || tail < head) throw new SluiceError('USAGE', `${readme} has no ${START} … ${END}`)
  const after = `${before.slice(0, head + START.length)}\n\n${renderOptions()}\n\n${before.slice(tail)}`
  if (after === before) {
    write(`${readme} is up to date\n`)
    return 0
  }
  if (check) {
    write(`${readme} is not up to date; run "sluice docs"\n`)
    return 1
  }
  writeFileSync(readme, after)
  write(`${readme} is written\n`)
  return 0
}

/** Both tables, without the markers. */
export function renderOptions(): string {
  return [
    '### Settings (`sluice`)',
    table('setting', optionRows(settingsSchema)),
    '### A server’s entry (`mcpServers.<name>`)',
    table('key', optionRows(entrySchema)),
  ].join('\n\n')
}

/** A default as a person would write it. */
export function renderDefault({ type, shown, defaultValue }: OptionRow): string {
  if (shown !== undefined) return shown
  if (typeof defaultValue === 'number' && type === 'ms') return renderDuration(defaultValue)
  if (typeof defaultValue === 'number' && type === 'bytes') return renderBytes(defaultValue)
  if (typeof defaultValue === 'object') return 'none'
  return String(defaultValue ?? 'none')
}

// --- internal ---

const START = '<!-- options:start -->'
const END = '<!-- options:end -->'

function readReadme(readme: string): string {
  try {
    return readFileSync(readme, 'utf8')
  } catch (cause) {
    throw new SluiceError('USAGE', `${readme} cannot be read`, { cause })
  }
}

function table(title: string, rows: readonly OptionRow[]): string {
  const lines = rows.map((row) => {
    const later = row.later === true ? ' *Not in this version yet.*' : ''
    return [`\`${row.path.join('.')}\``, row.type, renderDefault(row), `${row.help}${later}`]
  })
  return [[title, 'type', 'default', 'what it does'], ['---', '---', '---', '---'], ...lines].map(tableLine).join('\n')
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
