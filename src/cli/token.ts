/** `sluice token add|list|revoke`: the tokens with which clients come in over HTTP. */
import { SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import { TokenFile } from '../transport/token-file.js'

interface TokenRun {
  /** What to do, and the token's name where that needs one. */
  readonly args: readonly string[]
  readonly dataDir: string
  readonly write: (text: string) => void
}

/** The exit code. Rejects with USAGE, and with TOKEN_FILE where the tokens cannot be read. */
export async function token({ args: [action = '', name], dataDir, write }: TokenRun): Promise<number> {
  const act = ACTIONS.get(action)
  if (act === undefined) {
    const meant = nearest(action, ACTIONS.keys())
    throw usage(`${JSON.stringify(action)} is none of add, list, revoke${meant ? `; did you mean "${meant}"?` : ''}`)
  }
  await act({ tokens: new TokenFile(dataDir), name, write })
  return 0
}

// --- internal ---

interface Action {
  readonly tokens: TokenFile
  readonly name: string | undefined
  readonly write: (text: string) => void
}

const ACTIONS: ReadonlyMap<string, (action: Action) => Promise<void>> = new Map([
  ['add', add],
  ['list', list],
  ['revoke', revoke],
])
/** It stands in globs, logs and tables. */
const LEGAL = /^[\w.@-]{1,64}$/

async function add({ tokens, name, write }: Action): Promise<void> {
  if (name === undefined || !LEGAL.test(name)) throw usage('"sluice token add" needs a name of A-Z a-z 0-9 _ . @ -')
  const made = await tokens.add(name)
  if (made === undefined) throw usage(`there is a token "${name}" already; revoke it first, or choose another name`)
  write(`${made}\n\nIt is shown this once. "${name}" sends it as "Authorization: Bearer <token>".\n`)
}

async function list({ tokens, name, write }: Action): Promise<void> {
  if (name !== undefined) throw usage('"sluice token list" takes no name')
  const known = await tokens.read()
  const width = Math.max(0, ...known.map((one) => one.name.length))
  write(
    known.length === 0
      ? 'There are no tokens.\n'
      : known.map((one) => `${one.name.padEnd(width)}  ${one.createdAt}\n`).join(''),
  )
}

async function revoke({ tokens, name, write }: Action): Promise<void> {
  if (name === undefined) throw usage('"sluice token revoke" needs the name of a token')
  if (!(await tokens.revoke(name))) throw usage(`there is no token "${name}"`)
  write(`Revoked "${name}". Its sessions end within a few seconds.\n`)
}

function usage(detail: string): SluiceError {
  return new SluiceError('USAGE', detail)
}
