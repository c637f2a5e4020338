/** The questions of `sluice init` on a terminal. */
import type { Readable, Writable } from 'node:stream'
import type { ClientReport } from './init-report.js'

interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

/** The names of the clients that a person picks; undefined where the person gave up. */
export async function chooseClients(
  found: readonly ClientReport[],
  terminal: Terminal = {},
): Promise<readonly string[] | undefined> {
  const { cancel, intro, isCancel, multiselect, outro } = await import('@clack/prompts')
  intro(
    'Sluice takes the place of the MCP servers of your clients. Backups are made, and "sluice init --undo" undoes it.',
    terminal,
  )
  const picked = await multiselect({
    ...terminal,
    message: 'Which clients are to use Sluice?',
    options: found.map(({ client, title, servers, file }) => ({
      value: client,
      label: title,
      hint: `${countOf(servers)}, ${file}`,
    })),
    initialValues: found.filter(({ servers }) => servers.some(({ kind }) => kind === 'server')).map(({ client }) => client),
    required: false,
  })
  if (isCancel(picked)) {
    cancel('Nothing was changed.', terminal)
    return undefined
  }
  outro(picked.length === 0 ? 'Nothing is changed.' : `Wiring ${picked.join(', ')}`, terminal)
  return picked
}

// --- internal ---

function countOf(servers: ClientReport['servers']): string {
  const count = servers.filter(({ kind }) => kind === 'server').length
  return count === 1 ? '1 server' : `${count} servers`
}
