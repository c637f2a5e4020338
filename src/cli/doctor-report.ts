/** What `sluice doctor` finds, as data, and as text for a person. */
import * as z from 'zod'
import { renderTuning, tuningReport } from './tuning.js'

/** A problem is to be acted on and makes the exit code 1; a note only explains what is seen. */
const finding = z.strictObject({
  kind: z.enum([
    'configuration',
    'command not found',
    'needs login',
    'not reached',
    'slow start',
    'bad schema',
    'left out',
    'renamed',
    'hidden',
    'pin',
    'switched off',
  ]),
  level: z.enum(['problem', 'note']),
  what: z.string(),
  /** Empty where there is nothing to be done. */
  todo: z.string(),
})

/** What `--json` prints. */
export const doctorReport = z.strictObject({
  ok: z.boolean(),
  /** The configuration file. */
  origin: z.string(),
  general: z.array(finding),
  servers: z.array(
    z.strictObject({
      name: z.string(),
      state: z.enum(['ready', 'failed', 'disabled', 'off']),
      /** Milliseconds until it had answered and listed what it has; null where it did not. */
      startMs: z.int().nullable(),
      tools: z.int(),
      resources: z.int(),
      prompts: z.int(),
      findings: z.array(finding),
    }),
  ),
  catalog: z.strictObject({ listed: z.int(), deferred: z.int(), listTokens: z.int() }),
  /** With `--tune`. */
  tuning: tuningReport.optional(),
})

/** What `--json` prints with `--tool`. */
export const toolReport = z.strictObject({
  asked: z.string(),
  state: z.enum(['listed', 'deferred', 'hidden', 'left out', 'unknown']),
  why: z.string(),
  /** The exposed name; null where it has none. */
  name: z.string().nullable(),
  server: z.string().nullable(),
  /** The server's own name of it. */
  tool: z.string().nullable(),
  /** Tokens of its entry as it would be listed; null where it has none. */
  tokens: z.int().nullable(),
  /** What was changed of it, and why. */
  changes: z.array(z.strictObject({ what: z.string(), why: z.string() })),
})

export type Finding = z.output<typeof finding>
export type DoctorReport = z.output<typeof doctorReport>
export type ToolReport = z.output<typeof toolReport>

export function renderDoctor({ origin, general, servers, catalog, tuning }: DoctorReport): string {
  const findings = [...general, ...servers.flatMap((server) => server.findings)]
  const problems = findings.filter(({ level }) => level === 'problem').length
  return [
    `Configuration: ${origin}`,
    ...general.flatMap(findingLines),
    '',
    ...servers.flatMap((server) => [serverLine(server), ...server.findings.flatMap(findingLines)]),
    '',
    `Tools: ${catalog.listed} listed, ${catalog.deferred} deferred; the list takes ${catalog.listTokens} tokens`,
    ...(tuning ? ['', renderTuning(tuning)] : []),
    problems === 0 ? 'All is well.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`,
    '',
  ].join('\n')
}

export function renderTool({ asked, state, why, name, server, tool, tokens, changes }: ToolReport): string {
  if (name === null) return `${asked}: ${state}; ${why}\n`
  return [
    `${name}: ${state}; ${why}`,
    `  server ${server}, its own name ${tool}${tokens === null ? '' : `, ${tokens} tokens when listed`}`,
    ...(changes.length === 0
      ? ['  listed as the server sent it']
      : changes.map((change) => `  ${change.what} (${change.why})`)),
    '',
  ].join('\n')
}

// --- internal ---

const MARKS = { ready: '✓', failed: '✗', disabled: '✗', off: '-' } as const

function serverLine({ name, state, startMs, tools, resources, prompts }: DoctorReport['servers'][number]): string {
  if (state !== 'ready') return `${MARKS[state]} ${name}: ${state}`
  const parts = [`${tools} tools`, `${resources} resources`, `${prompts} prompts`]
  return `${MARKS[state]} ${name}: ${parts.join(', ')}; ready in ${startMs ?? 0} ms`
}

function findingLines({ kind, level, what, todo }: Finding): string[] {
  return [`    ${level === 'problem' ? '!' : '·'} ${kind}: ${what}`, ...(todo === '' ? [] : [`      → ${todo}`])]
}
