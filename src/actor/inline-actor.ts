/** An actor on the caller's own thread, with the manners of a thread: what goes in and out is cloned or moved. For tests. */
import { SluiceError } from '../base/errors.js'
import type { Actor, ActorApi, AnswerOf } from './actor.js'
import { handOver } from './hand-over.js'
import { createMailbox, type MailboxOptions } from './mailbox.js'
import { createPendingAsks } from './pending-asks.js'

export function openInlineActor<Api extends ActorApi<Api> & object>(api: Api, options: MailboxOptions = {}): Actor<Api> {
  const mailbox = createMailbox(api, options)
  const asks = createPendingAsks()
  let ended: SluiceError | undefined
  return {
    ask(verb, args, askOptions = {}) {
      if (ended) return Promise.reject(ended)
      return asks.settle(verb, askOptions, async () => {
        const given = structuredClone(args, { transfer: [...(askOptions.transfer ?? [])] })
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
