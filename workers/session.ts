/** The thread of session actors: sessions' databases behind a mailbox. */
import { isMainThread, workerData } from 'node:worker_threads'
import { serve } from '../src/actor/serve.js'
import { messageOf } from '../src/base/errors.js'
import { createLogger } from '../src/base/logger.js'
import { createSessionApi } from '../src/indexer/create-session-api.js'
import type { SessionApi } from '../src/protocol/session-api.js'

if (isMainThread) throw new Error('workers/session.js runs on a worker thread only')

const logger = createLogger({ level: 'warn', json: (workerData as { logJson?: boolean } | null)?.logJson ?? false })
const onFault = (error: unknown) => logger.warn('not indexed', { error: messageOf(error) })

serve<SessionApi>(createSessionApi({ onFault }), undefined, { patient: ['search', 'hibernate'] })
