/** The text of `--help`, from the tables of commands, flags and settings. */
import type { OptionRow } from '../config/option-schema.js'
import { COMMANDS, type Command, FLAGS, type FlagName } from './commands.js'
import { renderDefault } from './docs.js'
import { settingFlagNames, settingRows } from './flag-names.js'

/** Of one command, or of all for `sluice` itself. Ends with a newline. */
export function renderHelp(name?: string): string {
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) return renderHelp()
  const args = (command.args ?? []).map(({ name: arg, required }) => (required ? `<${arg}>` : `[${arg}]`))
  const usage = ['sluice', ...(command.name === undefined ? [] : [command.name]), ...args, '[options]'].join(' ')
  const others = command.name === undefined ? COMMANDS.filter((one) => one.name !== undefined) : []
  const sections = [
    `${command.summary}\n\nUsage: ${usage}`,
    section(
      'Commands',
      others.map((one) => [one.name ?? '', one.summary]),
    ),
    section('Options', [...command.flags, 'help' as const, 'version' as const].map(flagRow)),
    command.settings ? section('Settings, which go before those of the file', settingRows().map(settingRow)) : '',
    command.settings ? NAMING : '',
    examples(command),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

// --- internal ---

type HelpRow = readonly [term: string, text: string]

const MAX_TERM = 44

const NAMING = `A setting's full name works too: --context.responses.threshold-bytes. A setting that is true or false is
turned off with --no-NAME. Lists take commas. Times and sizes take units: "30 s", "16 KiB".`

function section(title: string, rows: readonly HelpRow[]): string {
  if (rows.length === 0) return ''
  const width = Math.min(MAX_TERM, Math.max(...rows.map(([term]) => term.length)))
  const lines = rows.map(([term, text]) =>
    term.length > width ? `  ${term}\n  ${' '.repeat(width)}  ${text}` : `  ${term.padEnd(width)}  ${text}`,
  )
  return `${title}:\n${lines.join('\n')}`
}

function flagRow(name: FlagName): HelpRow {
  const { type, short, help } = FLAGS[name]
  const value = type.name === 'true|false' ? '' : ` <${type.name}>`
  return [`${short === undefined ? '    ' : `-${short}, `}--${name}${value}`, help]
}

function settingRow(row: OptionRow): HelpRow {
  const [name] = settingFlagNames(row)
  const isBoolean = row.type === 'true|false'
  const term = isBoolean ? `--${row.defaultValue === true ? '[no-]' : ''}${name}` : `--${name} <${row.type}>`
  return [term, `${row.help} [${renderDefault(row)}]${row.later === true ? ' (not in this version yet)' : ''}`]
}

function examples({ examples: lines }: Command): string {
  return `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
