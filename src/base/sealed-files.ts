/** Files found by name in a folder of ours, each sealed with a key: what is not as it was written is none. */
import { createHmac, randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PruneLimits, pruneFiles } from './prune-files.js'

export interface SealedFilesOptions {
  /** Made at the first write, for its owner alone. */
  readonly folder: string
  /** Of what the contents look like: a file of another one is broken. */
  readonly version: number
  /** Asked for at first use, once. */
  readonly key: () => Promise<Uint8Array>
  readonly limits: PruneLimits
}

/** A content, a JSON text, and what it is sealed with under its name. */
export interface Sealed {
  readonly content: string
  readonly seal: string
}

/** Every method rejects with what the key's owner or the file system says. */
export class SealedFiles {
  readonly #options: SealedFilesOptions
  readonly #head: RegExp
  #key: Promise<Uint8Array> | undefined

  constructor(options: SealedFilesOptions) {
    this.#options = options
    this.#head = new RegExp(`^\\{"version":${options.version},"seal":"([0-9a-f]{64})","content":`)
  }

  /** 64 hexadecimal digits that tell nobody anything who has not the key. */
  async digest(text: string): Promise<string> {
    this.#key ??= this.#options.key()
    return createHmac('sha256', await this.#key)
      .update(text)
      .digest('hex')
  }

  async seal(name: string, content: string): Promise<Sealed> {
    return { content, seal: await this.digest(`${name}\n${content}`) }
  }

  async read(name: string): Promise<Sealed | 'absent' | 'broken'> {
    const text = await readFile(this.#fileOf(name), 'utf8').catch(absent)
    if (text === undefined) return 'absent'
    const [head, seal] = text.endsWith('}') ? (this.#head.exec(text) ?? []) : []
    if (head === undefined) return 'broken'
    const sealed = await this.seal(name, text.slice(head.length, -1))
    return sealed.seal === seal ? sealed : 'broken'
  }

  /** A reader finds the file as it was before, or all of the new one. */
  async write(name: string, { content, seal }: Sealed): Promise<void> {
    const { folder, version } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const draft = join(folder, `${name}.${randomUUID()}`)
    try {
      await writeFile(draft, `{"version":${version},"seal":"${seal}","content":${content}}`, { mode: 0o600, flag: 'wx' })
      await rename(draft, this.#fileOf(name))
    } finally {
      await rm(draft, { force: true })
    }
  }

  /** So that it does not count as unused. */
  async touch(name: string): Promise<void> {
    const now = new Date()
    await utimes(this.#fileOf(name), now, now)
  }

  async remove(name: string): Promise<void> {
    await rm(this.#fileOf(name), { force: true })
  }

  /** Removes what is unused or too much. */
  async prune(): Promise<void> {
    await pruneFiles(this.#options.folder, this.#options.limits)
  }

  // --- internal ---

  #fileOf(name: string): string {
    return join(this.#options.folder, `${name}.json`)
  }
}

// --- internal ---

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
