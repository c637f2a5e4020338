/** The thread of `sluice model`: fetches, lists and tests models. */
import { isMainThread } from 'node:worker_threads'
import { serve } from '../src/actor/serve.js'
import { createModelApi } from '../src/embed/create-model-api.js'
import type { ModelApi } from '../src/protocol/model-api.js'

if (isMainThread) throw new Error('workers/models.js runs on a worker thread only')

serve<ModelApi>(createModelApi(), undefined, { patient: ['pull'] })
