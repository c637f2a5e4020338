import { openInlineActor } from '../../src/actor/inline-actor.js'
import { openThreadActor } from '../../src/actor/thread-actor.js'
import { createTrialApi, type TrialApi } from '../fixtures/actor-api.js'
import { actorContract } from './actor-contract.js'

const url = new URL('../../dist/test/fixtures/actor-worker.js', import.meta.url)

actorContract('inline', (limit) => openInlineActor<TrialApi>(createTrialApi(), limit))
actorContract('thread', (limit) => openThreadActor<TrialApi>(url, { name: 'trial', workerData: { limit } }))
