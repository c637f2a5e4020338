/** `sluice model pull|list|test`: the embedding models that `--vector` searches with. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../actor/actor.js'
import { createEmbedderProcess } from '../actor/embedder-process.js'
import { openThreadActor } from '../actor/thread-actor.js'
import { workerUrl } from '../actor/worker-urls.js'
import { SluiceError } from '../base/errors.js'
import { silentLogger } from '../base/logger.js'
import { type Environment, modelPlaces } from '../config/environment.js'
import { DEFAULT_MODEL } from '../config/options.js'
import type { ListedModel, ModelApi } from '../protocol/model-api.js'
import type { FetchProgress, ModelPlaces } from '../protocol/vector-api.js'

interface ModelCommand {
  /** What to do, and with which model; without one, the default. */
  readonly args: readonly string[]
  readonly environment: Environment
  readonly write: (text: string) => void
  /** Draws how far fetching is; undefined where nobody watches. */
  readonly draw?: ((line: string) => void) | undefined
}

/** The exit code. Rejects with USAGE, VECTOR_MODEL or VECTOR_RUNTIME. */
export async function model({ args, environment, write, draw }: ModelCommand): Promise<number> {
  const [verb = '', name = DEFAULT_MODEL] = args
  const run = VERBS.get(verb)
  if (!run) throw new SluiceError('USAGE', `"sluice model" has no "${verb}"; there are ${[...VERBS.keys()].join(', ')}`)
  const thread = openThreadActor<ModelApi>(workerUrl('models'), { name: 'sluice-models' })
  try {
    write(await run({ thread, name, places: modelPlaces(environment), draw }))
    return 0
  } finally {
    await thread.stop()
  }
}

// --- internal ---

interface Run {
  readonly thread: Actor<ModelApi>
  readonly name: string
  readonly places: ModelPlaces
  readonly draw: ((line: string) => void) | undefined
}

/** What each prints. */
const VERBS: ReadonlyMap<string, (run: Run) => Promise<string>> = new Map([
  ['pull', async (run: Run) => `${lineOf(await pulled(run))}\n`],
  ['list', list],
  ['test', test],
])

const POLL_MS = 100
const BAR = 30

async function list({ thread, places }: Run): Promise<string> {
  const models = await thread.ask('list', places)
  if (models.length === 0) return `No model in ${places.modelsDir}; "sluice model pull" fetches ${DEFAULT_MODEL}.\n`
  return `${models.map(lineOf).join('\n')}\n`
}

async function test(run: Run): Promise<string> {
  const { thread, name, places } = run
  await pulled(run)
  const embedding = createEmbedderProcess({ ...places, logger: silentLogger })
  try {
    const vector = { ...places, model: name, runtime: 'auto', socket: embedding.socket() } as const
    const { facts, embeddingsPerSecond } = await thread.ask('test', vector)
    const { runtime, dimensions, strength, weights } = facts
    const used = weights.prose > 0 ? '' : '; too weak to be used'
    return [
      `${name}: works, ${runtime === 'native' ? 'natively' : 'as WebAssembly'}`,
      `  ${dimensions} dimensions, ${embeddingsPerSecond.toFixed(0)} passages a second`,
      `  strength ${strength.toFixed(2)} of 1${used}\n`,
    ].join('\n')
  } finally {
    await embedding.stop()
  }
}

/** Draws while the model is fetched. */
async function pulled({ thread, name, places, draw }: Run): Promise<ListedModel> {
  const pulling = thread.ask('pull', { ...places, model: name })
  const done = new AbortController()
  const watching = draw && watch(thread, draw, done.signal)
  try {
    return await pulling
  } finally {
    done.abort()
    await watching
  }
}

async function watch(thread: Actor<ModelApi>, draw: (line: string) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const progress = await thread.ask('progress', {}).catch(() => undefined)
    if (progress) draw(barOf(progress))
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
  draw('')
}

function barOf({ file, bytes, total }: FetchProgress): string {
  if (total === undefined) return `${file} ${megabytes(bytes)}`
  const full = Math.round((bytes / Math.max(1, total)) * BAR)
  return `${file} [${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${megabytes(bytes)} of ${megabytes(total)}`
}

function lineOf({ name, bytes, path }: ListedModel): string {
  return `${name}  ${megabytes(bytes)}  ${path}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
