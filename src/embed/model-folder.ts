/** Where a model's files are: in the user's folder, in the hub's cache, or made or fetched now. */
import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf, SluiceError } from '../base/errors.js'
import type { ModelPlaces } from '../protocol/vector-api.js'
import { fetchModel, type OnProgress } from './hub.js'
import { USE_LITE, useLiteFiles } from './use-lite.js'

/** What a model cannot do without. */
const NEEDED = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
/** The 8-bit weights, else the full ones. */
const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model.onnx']

export interface ModelFolder {
  readonly name: string
  readonly path: string
  /** Whether the 8-bit weights are there. */
  readonly quantized: boolean
  /** Other digits for other weights: of what they are called, how large they are and how the tokenizer takes texts apart. */
  readonly digest: string
}

/**
 * The model's folder; fetches it where it is nowhere. Rejects with VECTOR_MODEL: no such folder, one without the files that a model
 * needs, or a hub that cannot be reached.
 */
export async function modelFolder(name: string, places: ModelPlaces, onProgress?: OnProgress): Promise<ModelFolder> {
  const there = await findModel(name, places)
  if (there) return there
  if (isPath(name)) throw new SluiceError('VECTOR_MODEL', `the folder ${name} holds no model: ${await lacking(pathOf(name))}`)
  const files = name === USE_LITE ? await useLiteFiles() : await fetchModel(name, places.hubUrl, onProgress)
  await keep(files, join(places.modelsDir, name))
  const made = await findModel(name, places)
  if (!made) throw new SluiceError('VECTOR_MODEL', `the model "${name}" was fetched, but is not usable`)
  return made
}

/** The model's folder where it is on this machine already. */
export async function findModel(name: string, { modelsDir, hubCache }: ModelPlaces): Promise<ModelFolder | undefined> {
  const own = isPath(name) ? [pathOf(name)] : [join(modelsDir, name)]
  for (const path of [...own, ...(isPath(name) ? [] : await snapshots(hubCache, name))]) {
    const weights = await firstWeights(path)
    if (weights === undefined || (await lacking(path)) !== '') continue
    return { name, path, quantized: weights === WEIGHTS[0], digest: await digestOf(path, weights) }
  }
  return undefined
}

/** Models in the user's folder by name. */
export async function listModels({ modelsDir }: ModelPlaces): Promise<string[]> {
  const names: string[] = []
  for (const first of await foldersIn(modelsDir)) {
    if (await firstWeights(join(modelsDir, first))) names.push(first)
    for (const second of await foldersIn(join(modelsDir, first))) {
      if (await firstWeights(join(modelsDir, first, second))) names.push(`${first}/${second}`)
    }
  }
  return names
}

// --- internal ---

function isPath(name: string): boolean {
  return isAbsolute(name) || /^(?:\.{1,2}|~)(?:[/\\]|$)/.test(name)
}

function pathOf(name: string): string {
  return name.startsWith('~') ? join(homedir(), name.slice(1)) : resolve(name)
}

/** Folders of the model in the cache of Hugging Face's tools; the layout is theirs. */
async function snapshots(hubCache: string, name: string): Promise<string[]> {
  const folder = join(hubCache, `models--${name.replaceAll('/', '--')}`, 'snapshots')
  return (await foldersIn(folder)).map((revision) => join(folder, revision))
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
}

async function firstWeights(folder: string): Promise<string | undefined> {
  for (const file of WEIGHTS) if (await exists(join(folder, file))) return file
  return undefined
}

/** What the folder lacks, in words; empty where nothing. */
async function lacking(folder: string): Promise<string> {
  if (!(await exists(folder))) return 'it does not exist'
  const missing: string[] = []
  for (const file of NEEDED) if (!(await exists(join(folder, file)))) missing.push(file)
  if (!(await firstWeights(folder))) missing.push(WEIGHTS[0] ?? '')
  return missing.length === 0 ? '' : `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function digestOf(folder: string, weights: string): Promise<string> {
  const { size, mtimeMs } = await stat(join(folder, weights))
  const tokenizer = await readFile(join(folder, 'tokenizer.json'))
  return createHash('sha256')
    .update(`${weights}\n${size}\n${Math.floor(mtimeMs)}\n`)
    .update(tokenizer)
    .digest('hex')
}

/** All of the files or none; of two processes that do it at the same time the first one's stay. */
async function keep(files: ReadonlyMap<string, Buffer | string>, folder: string): Promise<void> {
  const draft = join(dirname(folder), `.draft-${randomUUID()}`)
  try {
    for (const [name, bytes] of files) {
      const file = join(draft, name)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(file, bytes, { mode: 0o600 })
    }
    await chmod(draft, 0o700)
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await firstWeights(folder))) throw error
    })
  } catch (cause) {
    throw new SluiceError('VECTOR_MODEL', `the model cannot be kept in ${folder}: ${messageOf(cause)}`, { cause })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
