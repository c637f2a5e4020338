/** The command line: a command, its flags and any setting. A misspelt one is told with the nearest that exists. */
import { parseArgs } from 'node:util'
import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import type { SettingFlags } from '../config/settings.js'
import { showFound } from '../config/values.js'
import { COMMANDS, type Command, FLAGS, type FlagName, type FlagValues } from './commands.js'
import { type FlagTarget, flagTargets } from './flag-names.js'

export interface Flags {
  /** Undefined: `sluice` alone. */
  readonly command: string | undefined
  /** What stands behind the command, as its `args` say. */
  readonly args: readonly string[]
  readonly flags: Readonly<Partial<FlagValues>>
  /** Settings by path, as `loadConfig` takes them. */
  readonly settings: SettingFlags
}

/**
 * @param argv the arguments after the program's name
 * @throws USAGE
 */
export function parseFlags(argv: readonly string[]): Flags {
  const targets = flagTargets()
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: parserOptions(targets),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = tokens.filter((token) => token.kind === 'option')
  const asked = given.find(({ name }) => name === 'help' || name === 'version')
  const [first, ...rest] = positionals
  if (asked !== undefined) {
    return { command: knownCommand(first), args: rest, flags: { [asked.name]: true }, settings: new Map() }
  }
  // Names first: what follows a misspelt flag looks like a command.
  const named = given.map((token) => ({ token, ...targetOf(token, targets) }))
  const command = commandOf(first)
  checkArgs(command, rest)
  const flags: Partial<Record<FlagName, unknown>> = {}
  const settings = new Map<string, unknown>()
  for (const { token, target, negated } of named) {
    checkBelongs(target, token.rawName, command)
    const value = givenValue(token, target, negated)
    if (target.kind === 'flag') flags[target.name] = parsedFlag(target.name, value)
    else setSetting(settings, target, { flag: token.rawName, value })
  }
  return { command: command.name, args: rest, flags: flags as Partial<FlagValues>, settings }
}

// --- internal ---

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

type ParserOption = { type: 'boolean' | 'string'; short?: string }

function parserOptions(targets: ReadonlyMap<string, FlagTarget>): Record<string, ParserOption> {
  const options = [...targets].map(([name, { kind, isBoolean }]): [string, ParserOption] => {
    const short = kind === 'flag' ? FLAGS[name as FlagName].short : undefined
    return [name, { type: isBoolean ? 'boolean' : 'string', ...(short !== undefined && { short }) }]
  })
  return Object.fromEntries(options)
}

function usage(detail: string): SluiceError {
  return new SluiceError('USAGE', detail)
}

function knownCommand(word: string | undefined): string | undefined {
  return COMMANDS.find(({ name }) => name === word)?.name
}

function commandOf(word: string | undefined): Command {
  const command = COMMANDS.find(({ name }) => name === word)
  if (command !== undefined) return command
  const names = COMMANDS.flatMap(({ name }) => name ?? [])
  throw usage(
    `${showFound(word)} is not a command${suggestion(nearest(word ?? '', names)) || `; there are ${names.join(', ')}`}`,
  )
}

function checkArgs(command: Command, given: readonly string[]): void {
  const { args = [] } = command
  const stray = given[args.length]
  const takes = args.map(({ name }) => `<${name}>`).join(' ') || 'none'
  if (stray !== undefined) throw usage(`${showFound(stray)} is one word too many; ${titleOf(command)} takes ${takes}`)
  const missing = args.slice(given.length).find(({ required }) => required)
  if (missing) throw usage(`${titleOf(command)} needs <${missing.name}>`)
}

function titleOf({ name }: Command): string {
  return name === undefined ? '"sluice"' : `"sluice ${name}"`
}

function suggestion(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
}

function targetOf({ name, rawName }: OptionToken, targets: ReadonlyMap<string, FlagTarget>) {
  const exact = targets.get(name)
  if (exact !== undefined) return { target: exact, negated: false }
  const opposite = name.startsWith('no-') ? targets.get(name.slice('no-'.length)) : undefined
  if (opposite?.isBoolean) return { target: opposite, negated: true }
  const negations = [...targets].flatMap(([known, { isBoolean }]) => (isBoolean ? `no-${known}` : []))
  const meant = nearest(name, name.startsWith('no-') ? negations : targets.keys())
  throw usage(`${rawName} is not an option${suggestion(meant && `--${meant}`)}`)
}

function checkBelongs(target: FlagTarget, rawName: string, command: Command): void {
  if (target.kind === 'setting' ? command.settings : command.flags.includes(target.name)) return
  const able = COMMANDS.filter((other) => (target.kind === 'setting' ? other.settings : other.flags.includes(target.name)))
  throw usage(`${rawName} has no meaning for ${titleOf(command)}; it belongs to ${able.map(titleOf).join(', ')}`)
}

function givenValue(token: OptionToken, target: FlagTarget, negated: boolean): string | boolean {
  const { rawName, value, inlineValue } = token
  if (negated) {
    if (value !== undefined) throw usage(`${rawName} takes no value, found ${showFound(value)}`)
    return false
  }
  if (target.isBoolean) return value ?? true
  if (value === undefined || (inlineValue === false && value.startsWith('--'))) throw usage(`${rawName} needs a value`)
  return value
}

function parsedFlag(name: FlagName, value: string | boolean): unknown {
  const { type } = FLAGS[name]
  const parsed = type.parse(value)
  if (parsed === undefined) throw usage(`--${name} must be ${type.expected}, found ${showFound(value)}`)
  return parsed
}

/** Lists take commas and may be given more than once; of other settings the last one counts. */
function setSetting(
  settings: Map<string, unknown>,
  { row }: Extract<FlagTarget, { kind: 'setting' }>,
  { flag, value }: { flag: string; value: string | boolean },
): void {
  const path = row.path.join('.')
  const items = () => [...((settings.get(path) as string[]) ?? []), ...String(value).split(',').filter(Boolean)]
  const parsed = row.schema.safeParse(row.shape === 'list' ? items() : value)
  if (!parsed.success) throw usage(`${flag} must be ${parsed.error.issues[0]?.message}, found ${showFound(value)}`)
  settings.set(path, parsed.data)
}
