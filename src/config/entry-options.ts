/** The keys of a server's entry: types and help text, in this one place. */
import * as z from 'zod'
import type { ToolThreshold } from './config.js'
import { isRecord, leaf, type OptionFacts, option } from './option-schema.js'
import { aliasName, bytes, choice, count, duration, flag, fraction, name, text, type ValueType } from './values.js'

const threshold = bytes(0)

const toolThresholds: ValueType<readonly ToolThreshold[]> = {
  name: 'bytes, or map of tool glob to bytes',
  expected: `${threshold.expected}, or a map from tool globs to such sizes`,
  parse: (value) => {
    if (!isRecord(value)) return thresholdsOf([['*', value]])
    return thresholdsOf(Object.entries(value))
  },
}

export const entrySchema = z.object({
  command: field(name, 'The program to start; it speaks MCP over stdio.'),
  args: listField(text, 'Its arguments.'),
  env: mapField(text, 'Variables for it, besides a short list of common ones.'),
  cwd: field(name, 'The folder it runs in.', "Sluice's own"),
  url: field(name, 'The address of a server over HTTP, in place of `command`. `serverUrl` is read as well.'),
  headers: mapField(text, 'Headers of every HTTP request.'),
  type: field(
    choice('stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'),
    'How it is reached.',
    'by shape; over HTTP Streamable HTTP first, then SSE',
  ),
  oauth: z
    .object({
      clientId: field(name, 'The client that was registered for Sluice.', 'registered at the first login'),
      clientSecret: field(name, 'Its secret, if it has one.'),
      scopes: listField(name, 'What a login asks for.', 'what the server names'),
    })
    .optional(),
  alias: field(aliasName, "The prefix of its tools' names.", 'made from its name'),
  description: field(text, 'What it is for, in one sentence.'),
  disabled: field(flag, 'Leave it out.', 'false'),
  include: listField(name, 'Globs on tool names: only these are offered.', 'all'),
  exclude: listField(name, 'Globs on tool names: these are neither listed nor callable; wins over `include`.'),
  output: z
    .object({
      maxChars: field(
        count(1),
        'Cut results with more characters of text in the middle; those that are indexed as large are not cut.',
      ),
      minify: field(flag, 'Take white space out of JSON, in text and in structuredContent.', 'false'),
    })
    .optional(),
  images: z
    .object({
      scale: field(fraction(1), 'Make images so much smaller; this and the next two need the package `sharp`.'),
      format: field(choice('png', 'jpeg', 'webp', 'avif'), 'Turn images into this format.', 'their own'),
      quality: field(count(1, 100), 'Quality of images.', "the format's own"),
    })
    .optional(),
  responseThreshold: field(
    toolThresholds,
    'Results with more text than this are indexed; a map counts in its order.',
    '`context.responses.thresholdBytes`',
  ),
  instances: field(choice('session', 'shared'), 'One for each session, or one for all.', 'session'),
  inheritEnv: field(flag, "Pass all of Sluice's own variables on.", 'false'),
  connectTimeout: field(duration(1), 'How long it may take to start and answer.', '`connectTimeout` of the settings'),
  callTimeout: field(duration(1), 'How long a call may take without progress.'),
  idleTimeout: field(duration(1), 'Unused for so long it is stopped; the next call starts it again.'),
})

export type EntryOptions = z.output<typeof entrySchema>

/** Keys of other clients that mean something to them and nothing here. */
export const FOREIGN_KEYS: ReadonlySet<string> = new Set(
  `autoApprove alwaysAllow alwaysLoad autoStart dev disabledTools enabledTools envFile excludeTools gallery icon id includeTools metadata
  name auth authorization notes scopes source startup_timeout_ms startup_timeout_sec timeout tools tool_timeout_sec transport
  transportType trust version watch`.split(/\s+/),
)

// --- internal ---

function field<T>(type: ValueType<T>, help: string, shown = 'none') {
  return option(facts(type.name, help, shown), leaf(type).optional())
}

function listField(type: ValueType<string>, help: string, shown = 'none') {
  const list = z.array(leaf(type))
  return option(facts('list of text', help, shown), list.optional())
}

function mapField(type: ValueType<string>, help: string) {
  return option(facts('map of text', help, 'none'), z.record(z.string(), leaf(type)).optional())
}

function facts(type: string, help: string, shown: string): OptionFacts {
  return { type, help, shown }
}

function thresholdsOf(entries: readonly (readonly [string, unknown])[]): readonly ToolThreshold[] | undefined {
  const parsed = entries.map(([glob, value]) => ({ glob, bytes: threshold.parse(value) }))
  return parsed.every((one): one is ToolThreshold => one.glob !== '' && one.bytes !== undefined) ? parsed : undefined
}
