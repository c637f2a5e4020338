/** The thread of session actors: sessions' databases behind a mailbox. */
import { isMainThread } from 'node:worker_threads'
import { serve } from '../src/actor/serve.js'
import { createSessionApi } from '../src/indexer/create-session-api.js'
import type { SessionApi } from '../src/protocol/session-api.js'

if (isMainThread) throw new Error('workers/session.js runs on a worker thread only')

serve<SessionApi>(createSessionApi())
