/** The settings under `sluice`: types, defaults and help text, in this one place. */
import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { leaf, type OptionFacts, option } from './option-schema.js'
import { bytes, choice, count, duration, flag, name, toolName, type ValueType } from './values.js'

/** Small, fast, English, and the most used one of its kind. */
export const DEFAULT_MODEL = 'Xenova/all-MiniLM-L6-v2'

const contextSchema = z.object({
  responses: z
    .object({
      enabled: on(flag, true, 'Index large responses and pass a receipt instead.'),
      thresholdBytes: on(bytes(0), 16_384, 'A response with more text than this is indexed.'),
      resources: on(flag, false, 'Index what resources/read gives, too.'),
      prompts: on(flag, false, 'Index what prompts/get gives, too.'),
    })
    .prefault({}),
  catalog: z
    .object({
      enabled: on(flag, true, 'Index tool definitions when the catalog is large.'),
      thresholdBytes: on(bytes(0), 16_384, 'A catalog larger than this is indexed.'),
    })
    .prefault({}),
  vector: z
    .object({
      enabled: on(flag, false, 'Search by meaning as well as by words.'),
      model: on(
        name,
        'Xenova/all-MiniLM-L6-v2',
        'The embedding model: a name on the Hugging Face hub, a folder, or `use-lite`.',
      ),
      runtime: on(
        choice('auto', 'native', 'wasm'),
        'auto',
        'Where the model runs: in a process of its own, or in the session thread.',
      ),
    })
    .prefault({}),
  searchTool: on(toolName, 'IndexSearch', "The search tool's name."),
  readTool: on(toolName, 'IndexRead', "The reading tool's name."),
  callTool: on(toolName, 'IndexCall', 'The name of the tool that calls deferred tools.'),
})

/** What one client may have otherwise. */
const catalogFields = {
  mode: on(choice('auto', 'manual', 'off'), 'auto', 'How the tool catalog is kept small; `off` lists everything as it is.'),
  allowlist: list(name, 'Servers whose tools are listed in mode manual.'),
  pins: list(name, 'Tools that come first: exposed names or `server::tool`.'),
  maxTools: on(count(0), 24, 'The most upstream tools that are listed of a large catalog.'),
  contextBudget: on(count(0), 6000, 'The most tokens that the listed tools may take.'),
  adaptive: on(flag, true, 'Learn from use which tools to list.'),
  disclosure: on(flag, false, 'List tools as short stubs.'),
  descriptionBudget: on(count(0), 280, 'Characters kept of a description; 0 keeps all.'),
  activation: on(choice('auto', 'on', 'off'), 'auto', 'Whether tools that a search finds join the list.'),
  dialect: on(
    choice('auto', 'claude', 'openai', 'gemini', 'none'),
    'auto',
    'The LLM API whose rules listed schemas keep to; `auto` goes by the client.',
  ),
}

export const settingsSchema = z.object({
  ...catalogFields,
  naming: on(choice('prefixed', 'bare'), 'prefixed', 'Expose tools as `alias__name`, or under their own names.'),
  stats: on(flag, true, 'Keep usage statistics on this machine.'),
  connectTimeout: on(duration(1), 15_000, 'How long a server may take to start and answer.'),
  initWait: on(duration(0), 1500, 'How long `initialize` waits for servers.'),
  listWait: on(duration(0), 2000, 'How long a list waits for servers that are starting.'),
  searchWait: on(duration(0), 2000, 'How long a search waits for responses that are being indexed.'),
  startConcurrency: on(count(1), 8, 'How many servers start at the same time.'),
  pageSize: option({ ...facts(count(1), 'Entries on one page of a list.'), shown: 'none' }, leaf(count(1)).optional()),
  metaTools: list(
    choice('search_tools', 'describe_tools', 'enable_tools', 'list_servers', 'slim_stats'),
    'CtxSlim tools to offer as well.',
  ),
  maxWorkers: on(count(1), mostWorkers, 'The most worker threads for sessions.', '8 × cores, at most 64'),
  sessionIdle: on(duration(1), 1_800_000, 'An HTTP session unused for so long ends.'),
  hibernateAfter: on(duration(1), 300_000, "A session's index unused for so long moves from memory to a private file."),
  maxIndexBytes: on(bytes(1), 268_435_456, 'Text that a session keeps; the oldest responses are dropped first.'),
  maxMessageBytes: on(bytes(1), 268_435_456, 'The largest message accepted from a server.'),
  http: z
    .object({
      jwt: z
        .object({
          issuer: unset(name, 'Clients over HTTP may have JWTs of this issuer.'),
          audience: unset(name, 'Whom they must be for; best the address of this gateway.'),
          jwks: unset(name, "Where the issuer's keys are."),
        })
        .prefault({}),
    })
    .prefault({}),
  context: contextSchema.prefault({}),
  clients: option(
    { help: 'Overrides for one client, by a glob on its name.', type: 'map' },
    z.record(z.string(), z.object({ ...catalogFields, context: contextSchema.prefault({}) })).default({}),
  ),
})

export type SettingsOptions = z.output<typeof settingsSchema>

// --- internal ---

function on<T>(type: ValueType<T>, fallback: T | (() => T), help: string, shown?: string) {
  const schema = leaf(type).default(fallback as never)
  return option({ help, type: type.name, shown }, schema)
}

function list<T>(type: ValueType<T>, help: string) {
  return option({ help, type: `list of ${type.name}`, shown: 'none' }, z.array(leaf(type)).default([]))
}

function unset<T>(type: ValueType<T>, help: string) {
  return option({ ...facts(type, help), shown: 'none' }, leaf(type).optional())
}

function facts<T>(type: ValueType<T>, help: string): OptionFacts {
  return { help, type: type.name }
}

function mostWorkers(): number {
  return Math.min(64, 8 * availableParallelism())
}
