/** An actor on the caller's own thread, with the manners of a thread: what goes in and out is cloned or moved. For tests. */
import { SluiceError } from '../base/errors.js'
import type { Actor, ActorApi, AnswerOf } from './actor.js'
import { handOver } from './hand-over.js'
import { createMailbox, MAILBOX_LIMIT } from './mailbox.js'
import { createPendingAsks } from './pending-asks.js'

/** @param limit asks that may wait; those beyond it fail with MAILBOX_FULL */
export function openInlineActor<Api extends ActorApi<Api> & object>(api: Api, limit: number = MAILBOX_LIMIT): Actor<Api> {
  const mailbox = createMailbox(api, limit)
  const asks = createPendingAsks()
  let ended: SluiceError | undefined
  return {
    ask(verb, args, options = {}) {
      if (ended) return Promise.reject(ended)
      return asks.settle(verb, options, async () => {
        const given = structuredClone(args, { transfer: [...(options.transfer ?? [])] })
        const { value, buffers } = handOver(await mailbox.post(verb, given))
        return structuredClone(value, { transfer: buffers }) as AnswerOf<Api, typeof verb>
      })
    },
    get alive() {
      return ended === undefined
    },
    async stop() {
      ended = new SluiceError('ACTOR_STOPPED')
      asks.failAll(ended)
    },
  }
}
