/** The tokens that clients over HTTP may come in with: names and hashes in `tokens.json` of the data folder, for its owner's eyes alone. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '../base/errors.js'
import { withFileLock } from '../base/file-lock.js'
import { writeOwnFile } from '../base/write-own-file.js'
import { asRecord } from '../protocol/messages.js'

export interface KnownToken {
  readonly name: string
  /** SHA-256, hexadecimal. A token is 256 random bits, which nobody guesses however fast the hash; a slow one would only slow every request. */
  readonly hash: string
  /** ISO 8601. */
  readonly createdAt: string
}

export class TokenFile {
  readonly path: string
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = dataDir
    this.path = join(dataDir, NAME)
  }

  /** In the order they were made. Rejects with TOKEN_FILE for what is there and cannot be read: it must not count as none. */
  async read(): Promise<readonly KnownToken[]> {
    try {
      return tokensIn(await readFile(this.path, 'utf8'))
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw new SluiceError('TOKEN_FILE', `${this.path} cannot be read, or is not as it was written`, { cause })
    }
  }

  /** The new token, which is nowhere else; undefined where the name is taken. */
  add(name: string): Promise<string | undefined> {
    return withFileLock(this.path, async () => {
      const known = await this.read()
      if (known.some((token) => token.name === name)) return undefined
      const token = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
      const hash = hashOf(token).toString('hex')
      await this.#write([...known, { name, hash, createdAt: new Date().toISOString() }])
      return token
    })
  }

  /** False where there is none of this name. */
  revoke(name: string): Promise<boolean> {
    return withFileLock(this.path, async () => {
      const known = await this.read()
      const left = known.filter((token) => token.name !== name)
      if (left.length < known.length) await this.#write(left)
      return left.length < known.length
    })
  }

  // --- internal ---

  #write(tokens: readonly KnownToken[]): Promise<void> {
    return writeOwnFile(this.#folder, NAME, Buffer.from(`${JSON.stringify({ tokens }, null, 2)}\n`))
  }
}

export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

// --- internal ---

const NAME = 'tokens.json'
/** By which people and scanners tell what it is. */
const PREFIX = 'sluice_'
const TOKEN_BYTES = 32

function tokensIn(text: string): KnownToken[] {
  const list: unknown = asRecord(JSON.parse(text))?.['tokens']
  if (!Array.isArray(list)) throw new Error('no list of tokens')
  return list.map((entry: unknown) => {
    const { name, hash, createdAt } = asRecord(entry) ?? {}
    if (typeof name !== 'string' || typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) throw new Error('no token')
    return { name, hash, createdAt: String(createdAt) }
  })
}
