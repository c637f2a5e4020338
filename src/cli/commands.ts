/** The commands and the flags that are no settings, as data: parsing, help and docs are made from them. */
import { LOG_LEVELS } from '../base/logger.js'
import { choice, count, flag, name, type ValueType } from '../config/values.js'

/** What the flags that are no settings say. Undefined where one was not given. */
export interface FlagValues {
  config: string
  quiet: boolean
  'log-level': (typeof LOG_LEVELS)[number]
  host: string
  port: number
  once: boolean
  check: boolean
  help: boolean
  version: boolean
}

export type FlagName = keyof FlagValues

export interface FlagSpec<T> {
  readonly type: ValueType<T>
  readonly help: string
  readonly short?: string
}

export const FLAGS: { readonly [Name in FlagName]: FlagSpec<FlagValues[Name]> } = {
  config: { type: { ...name, name: 'path' }, short: 'c', help: 'The configuration file.' },
  quiet: { type: flag, short: 'q', help: 'Log errors only.' },
  'log-level': { type: choice(...LOG_LEVELS), help: 'What is logged on stderr [warn].' },
  host: { type: name, help: 'The address to listen on [127.0.0.1].' },
  port: { type: count(0, 65_535), help: 'The port to listen on; 0 takes any free one [7411].' },
  once: { type: flag, help: 'End after the demo session.' },
  check: { type: flag, help: 'Change nothing; exit 1 if the README is not up to date.' },
  help: { type: flag, short: 'h', help: 'Show this help.' },
  version: { type: flag, short: 'v', help: 'Show the version.' },
}

export interface Command {
  /** Undefined: `sluice` alone. */
  readonly name: string | undefined
  readonly summary: string
  /** The words after its name, in order. */
  readonly args?: readonly { readonly name: string; readonly required: boolean }[]
  /** Besides `--help` and `--version`. */
  readonly flags: readonly FlagName[]
  /** Whether every setting can be given by flag. */
  readonly settings: boolean
  readonly examples: readonly string[]
}

export const COMMANDS: readonly Command[] = [
  {
    name: undefined,
    summary: 'Run the gateway for one client over stdio.',
    flags: ['config', 'quiet', 'log-level'],
    settings: true,
    examples: ['sluice --config mcp.json', 'sluice --naming bare --responses-threshold-bytes "8 KiB"'],
  },
  {
    name: 'serve',
    summary: 'Run the gateway for many clients over Streamable HTTP.',
    flags: ['config', 'host', 'port', 'quiet', 'log-level'],
    settings: true,
    examples: ['sluice serve --config mcp.json --port 7411'],
  },
  {
    name: 'demo',
    summary: 'Show what Sluice does on three real servers, then serve them.',
    flags: ['host', 'port', 'once', 'quiet', 'log-level'],
    settings: true,
    examples: ['sluice demo --once'],
  },
  {
    name: 'start',
    summary: 'Serve the configuration over HTTP where there is one, else run the demo.',
    flags: ['config', 'host', 'port', 'once', 'quiet', 'log-level'],
    settings: true,
    examples: ['sluice start'],
  },
  {
    name: 'trust',
    summary: 'Allow ./sluice.json to start its commands, as it is now.',
    flags: [],
    settings: false,
    examples: ['sluice trust'],
  },
  {
    name: 'model',
    summary: 'Embedding models for --vector: fetch one, list those that are here, or test one.',
    args: [
      { name: 'pull|list|test', required: true },
      { name: 'name', required: false },
    ],
    flags: [],
    settings: false,
    examples: ['sluice model pull', 'sluice model list', 'sluice model test use-lite'],
  },
  {
    name: 'docs',
    summary: "Write the option tables into Sluice's README.",
    flags: ['check'],
    settings: false,
    examples: ['sluice docs --check'],
  },
]
