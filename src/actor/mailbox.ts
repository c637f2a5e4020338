/** The mailbox of an actor: bounded, first in, first out, one verb at a time, however many awaits a verb has. */
import { SluiceError } from '../base/errors.js'

/** Asks an actor holds, the one being served included. */
export const MAILBOX_LIMIT = 1_024

export interface Mailbox {
  /** The verb's answer when its turn has come and gone. Rejects with MAILBOX_FULL at the limit, with ACTOR_FAILED for no such verb. */
  post(verb: string, args: unknown): Promise<unknown>
}

export function createMailbox(api: object, limit = MAILBOX_LIMIT): Mailbox {
  let size = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    post(verb, args) {
      if (size >= limit) return Promise.reject(new SluiceError('MAILBOX_FULL', `${limit} requests are waiting already`))
      size++
      const turn = last.then(() => serveVerb(api, verb, args)).finally(() => size--)
      last = turn.catch(() => undefined) // told to the one who asked; the next ask is served all the same
      return turn
    },
  }
}

// --- internal ---

function serveVerb(api: object, verb: string, args: unknown): unknown {
  const serve: unknown = (api as Readonly<Record<string, unknown>>)[verb]
  if (typeof serve !== 'function') throw new SluiceError('ACTOR_FAILED', `the actor has no verb "${verb}"`)
  return serve.call(api, args)
}
