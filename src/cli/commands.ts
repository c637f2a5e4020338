/** The commands and the flags that are no settings, as data: parsing, help and docs are made from them. */
import { LOG_LEVELS } from '../base/logger.js'
import { choice, count, flag, name, type ValueType } from '../config/values.js'

/** What the flags that are no settings say. Undefined where one was not given. */
export interface FlagValues {
  config: string
  quiet: boolean
  'log-level': (typeof LOG_LEVELS)[number]
  'log-json': boolean
  host: string
  port: number
  once: boolean
  'no-browser': boolean
  check: boolean
  client: string
  yes: boolean
  keep: boolean
  undo: boolean
  json: boolean
  tool: string
  tune: boolean
  gap: number
  model: string
  prices: string
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
  'log-json': { type: flag, help: 'Log a JSON object a line.' },
  host: { type: name, help: 'The address to listen on [127.0.0.1].' },
  port: { type: count(0, 65_535), help: 'The port to listen on; 0 takes any free one [7411; for a login 0].' },
  'no-browser': { type: flag, help: 'Only print the address of the login page.' },
  once: { type: flag, help: 'End after the demo session.' },
  check: { type: flag, help: 'Change nothing; exit 1 if the README is not up to date.' },
  client: { type: name, help: 'One client alone, such as cursor.' },
  yes: { type: flag, short: 'y', help: 'Write without asking.' },
  keep: { type: flag, help: 'Leave the servers in the file of the client as well.' },
  undo: { type: flag, help: 'Put the files of clients back as they were.' },
  json: { type: flag, help: 'Print JSON.' },
  tool: { type: name, help: 'Explain this tool only: an exposed name, or server::tool.' },
  tune: { type: flag, help: 'Suggest settings from how tools were used; needs 50 calls in the audit log.' },
  gap: { type: { ...count(1, 86_400), name: 'seconds' }, help: 'A longer pause ends a task [120].' },
  model: { type: name, help: 'Prices of this model only.' },
  prices: {
    type: { ...name, name: 'path' },
    help: 'A JSON file of rates: {"models": {"NAME": {"input", "output", "cacheRead"}}}.',
  },
  help: { type: flag, short: 'h', help: 'Show this help.' },
  version: { type: flag, short: 'v', help: 'Show the version.' },
}

export interface Command {
  /** Undefined: `sluice` alone. */
  readonly name: string | undefined
  readonly summary: string
  /** Besides `--help` and `--version`. */
  readonly flags: readonly FlagName[]
  /** Words behind the command, in their order. None by default. */
  readonly args?: readonly { readonly name: string; readonly required: boolean }[]
  /** Whether every setting can be given by flag. */
  readonly settings: boolean
  readonly examples: readonly string[]
}

export const COMMANDS: readonly Command[] = [
  {
    name: undefined,
    summary: 'Run the gateway for one client over stdio.',
    flags: ['config', 'quiet', 'log-level', 'log-json'],
    settings: true,
    examples: ['sluice --config mcp.json', 'sluice --naming bare --responses-threshold-bytes "8 KiB"'],
  },
  {
    name: 'serve',
    summary: 'Run the gateway for many clients over Streamable HTTP.',
    flags: ['config', 'host', 'port', 'quiet', 'log-level', 'log-json'],
    settings: true,
    examples: ['sluice serve --config mcp.json --port 7411'],
  },
  {
    name: 'demo',
    summary: 'Show what Sluice does on three real servers, then serve them.',
    flags: ['host', 'port', 'once', 'quiet', 'log-level', 'log-json'],
    settings: true,
    examples: ['sluice demo --once'],
  },
  {
    name: 'start',
    summary: 'Serve the configuration over HTTP where there is one, else run the demo.',
    flags: ['config', 'host', 'port', 'once', 'quiet', 'log-level', 'log-json'],
    settings: true,
    examples: ['sluice start'],
  },
  {
    name: 'init',
    summary: 'Put Sluice in the place of the servers of your clients, and take it out again.',
    flags: ['client', 'yes', 'keep', 'undo', 'json'],
    settings: false,
    examples: ['sluice init', 'sluice init --client cursor --yes', 'sluice init --client cursor --undo'],
  },
  {
    name: 'config',
    summary: 'Read and change the settings of the configuration file; comments stay.',
    args: [
      { name: 'list|get|set|unset', required: false },
      { name: 'key', required: false },
      { name: 'value', required: false },
    ],
    flags: ['config', 'json'],
    settings: false,
    examples: [
      'sluice config list',
      'sluice config set context.responses.thresholdBytes "8 KiB"',
      "sluice config set 'clients.claude-code*.maxTools' 40",
      'sluice config unset maxTools',
    ],
  },
  {
    name: 'login',
    summary: 'Log in at a server over HTTP that wants OAuth, in the browser.',
    args: [{ name: 'server', required: true }],
    flags: ['config', 'no-browser', 'port'],
    settings: false,
    examples: ['sluice login github', 'sluice login github --no-browser --port 8765'],
  },
  {
    name: 'logout',
    summary: 'Give the tokens of a login back and forget them.',
    args: [{ name: 'server', required: true }],
    flags: ['config'],
    settings: false,
    examples: ['sluice logout github'],
  },
  {
    name: 'token',
    summary: "Tokens for clients that come over HTTP: add, list or revoke; each one's name is its client's.",
    args: [
      { name: 'add|list|revoke', required: true },
      { name: 'name', required: false },
    ],
    flags: [],
    settings: false,
    examples: ['sluice token add laptop', 'sluice token list', 'sluice token revoke laptop'],
  },
  {
    name: 'tools',
    summary: 'Show the tools as a model would have them, or what its search would find.',
    args: [{ name: 'query', required: false }],
    flags: ['config', 'json', 'log-level'],
    settings: true,
    examples: ['sluice tools', 'sluice tools "create an issue"', 'sluice tools --json --max-tools 10'],
  },
  {
    name: 'call',
    summary: 'Call a tool, listed or not, and show what a model would get.',
    args: [
      { name: 'tool', required: true },
      { name: 'arguments', required: false },
    ],
    flags: ['config', 'json', 'log-level'],
    settings: true,
    examples: [`sluice call github__create_issue '{"title":"Hello"}'`, `sluice call fs__read_file '{"path":"a.txt"}' --json`],
  },
  {
    name: 'doctor',
    summary: 'Connect to every server, and say what is wrong and what to do.',
    flags: ['config', 'json', 'tool', 'tune', 'log-level'],
    settings: true,
    examples: ['sluice doctor', 'sluice doctor --tool github__create_issue', 'sluice doctor --tune', 'sluice doctor --json'],
  },
  {
    name: 'stats',
    summary: 'Show what was called, what was kept out of the context, and what that cost.',
    flags: ['json'],
    settings: false,
    examples: ['sluice stats', 'sluice stats --json'],
  },
  {
    name: 'audit',
    summary: 'Show what each task spent, and what models would charge for it.',
    flags: ['gap', 'model', 'prices', 'json'],
    settings: false,
    examples: ['sluice audit --model claude-opus-5', 'sluice audit --gap 600 --prices rates.json --json'],
  },
  {
    name: 'trust',
    summary: 'Allow the files of this folder (sluice.json, .mcp.json and the like) to start their commands, as they are now.',
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
