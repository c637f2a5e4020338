/** The names of flags: each setting's, short and nested, and those of the command table. */
import { type OptionRow, optionRows } from '../config/option-schema.js'
import { settingsSchema } from '../config/options.js'
import { FLAGS, type FlagName } from './commands.js'

/** What a flag on the command line stands for. */
export type FlagTarget =
  | { readonly kind: 'flag'; readonly name: FlagName; readonly isBoolean: boolean }
  | { readonly kind: 'setting'; readonly row: OptionRow; readonly isBoolean: boolean }

/** By name, without the dashes; the first name of a target is the one that help shows. */
export function flagTargets(): ReadonlyMap<string, FlagTarget> {
  const targets = new Map<string, FlagTarget>()
  for (const [name, { type }] of Object.entries(FLAGS)) {
    targets.set(name, { kind: 'flag', name: name as FlagName, isBoolean: type.name === BOOLEAN })
  }
  for (const row of settingRows()) {
    for (const name of settingFlagNames(row)) targets.set(name, { kind: 'setting', row, isBoolean: row.type === BOOLEAN })
  }
  return targets
}

/** The settings that a flag can give: all but maps. */
export function settingRows(): OptionRow[] {
  return optionRows(settingsSchema).filter((row) => row.shape !== 'map')
}

/** `context.responses.thresholdBytes`: `responses-threshold-bytes`, `context.responses.threshold-bytes` and its other spellings. */
export function settingFlagNames({ path, type }: OptionRow): string[] {
  const words = path.map(kebab)
  const short = words[0] === 'context' ? words.slice(1) : words
  const parent = type === BOOLEAN && words.at(-1) === 'enabled' ? [short.slice(0, -1).join('-')] : []
  return [...new Set([...parent, short.join('-'), words.join('.'), words.join('-'), path.join('.')])]
}

// --- internal ---

const BOOLEAN = 'true|false'

function kebab(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
