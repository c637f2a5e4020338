/** The embedding process: runs models natively for all sessions of the gateway that forked it, and ends with it. */
import { rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { serveEmbedders } from '../src/embed/embed-server.js'
import { createLocalEmbedder } from '../src/embed/local-embedder.js'
import type { EmbedderProcessArgs } from '../src/protocol/vector-api.js'

if (!process.send) throw new Error('workers/embed.js is forked by the gateway only')

const { path, ...places } = JSON.parse(process.argv[2] ?? '{}') as EmbedderProcessArgs

// The runtime takes all cores and heeds no limit of threads: what people wait for goes first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.once('disconnect', () => {
  if (process.platform !== 'win32') rmSync(dirname(path), { recursive: true, force: true })
  process.exit()
})
// What a process before this one has left there when it was killed.
if (process.platform !== 'win32') rmSync(path, { force: true })
await serveEmbedders(path, (model) =>
  createLocalEmbedder({ ...places, model, runtime: 'native', onProgress: (progress) => process.send?.({ model, progress }) }),
)
process.send({ ready: true })
