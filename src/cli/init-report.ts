/** What `sluice init` has found and done: the shape of its `--json`, and the text for a person. */
import * as z from 'zod'
import { visible } from './describe-entry.js'

const serverReport = z.strictObject({
  name: z.string(),
  /** The command or address, without what is secret. */
  runs: z.string(),
  /** `sluice`: an entry that is Sluice itself; `left`: stays with the client, since Sluice cannot run it. */
  kind: z.enum(['server', 'sluice', 'left']),
  reason: z.string().nullable(),
})

const clientReport = z.strictObject({
  client: z.string(),
  title: z.string(),
  file: z.string(),
  /** What the file holds now. */
  state: z.enum(['absent', 'found', 'wired', 'broken']),
  servers: z.array(serverReport),
  /**
   * `planned`: would be written; `created` and `written`: by this run; `restored` byte for byte, `removed` and `edited` by `--undo`;
   * `refused`: see `fault`.
   */
  change: z.enum(['none', 'planned', 'created', 'written', 'restored', 'removed', 'edited', 'refused']),
  /** Names of the servers that went to Sluice, or came back. */
  moved: z.array(z.string()),
  backup: z.string().nullable(),
  /** What is wrong with the file, with line and column. */
  fault: z.string().nullable(),
})

export const initReport = z.strictObject({
  action: z.enum(['show', 'init', 'undo']),
  /** Sluice's own file. */
  config: z.string(),
  clients: z.array(clientReport),
  /** What else was found: files of this folder, and what was passed over. */
  notes: z.array(z.string()),
})

export type InitReport = z.output<typeof initReport>
export type ClientReport = z.output<typeof clientReport>

export function renderInit(report: InitReport): string {
  const { action, clients, notes } = report
  const shown = clients.filter(({ state, change }) => state !== 'absent' || change !== 'none')
  const blocks = shown.map((client) =>
    [headline(client), ...client.servers.map(serverLine), ...outcome(client, report)].join('\n'),
  )
  if (blocks.length === 0) blocks.push(action === 'undo' ? 'Nothing to undo.' : 'No file of a client was found.')
  const isPlan = clients.some(({ change }) => change === 'planned')
  return `${[
    ...blocks,
    ...(notes.length === 0 ? [] : [notes.map((note) => `Note: ${visible(note)}`).join('\n')]),
    ...(isPlan ? ['Nothing was written. Add --yes to do it, and --client NAME for one client alone.'] : []),
  ].join('\n\n')}\n`
}

// --- internal ---

function headline({ title, file, state, fault }: ClientReport): string {
  const what = { absent: 'no file', found: 'not wired', wired: 'wired', broken: 'broken' }[state]
  return `${title}: ${visible(file)} (${what})${fault === null ? '' : `\n  ${visible(fault)}`}`
}

function serverLine({ name, runs, kind, reason }: InitReport['clients'][number]['servers'][number]): string {
  const left = kind === 'left' ? ` (stays: ${visible(reason ?? '')})` : ''
  return `  ${visible(name)}: ${runs}${left}`
}

function outcome({ change, moved, backup, state }: ClientReport, { action, config }: InitReport): string[] {
  const names = moved.map(visible).join(', ')
  const servers =
    moved.length === 0 ? 'no server' : moved.length === 1 ? `1 server (${names})` : `${moved.length} servers (${names})`
  const lines = {
    none: state === 'wired' && action === 'init' ? ['is wired already'] : [],
    planned: [`would hand over ${servers} to ${config}`],
    created: ['made, with Sluice alone in it'],
    written: [
      `handed over ${servers} to ${config}`,
      ...(backup === null ? [] : [`backup: ${backup}`]),
      'Restart the client to use it.',
    ],
    restored: ['put back byte for byte'],
    removed: ['removed; there was none before'],
    edited: [`was edited since: Sluice is taken out, and ${servers} put back`],
    refused: ['refused; the file is untouched'],
  }[change]
  return lines.map((line) => `  → ${visible(line)}`)
}
