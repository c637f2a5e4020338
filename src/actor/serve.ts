/** The actor's side of a thread: serves the verbs of an API to the thread that started it. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { expose, transfer } from 'comlink'
import { SluiceError } from '../base/errors.js'
import type { ActorApi } from './actor.js'
import { installErrorCodec } from './error-codec.js'
import { handOver } from './hand-over.js'
import { createMailbox, MAILBOX_LIMIT } from './mailbox.js'
import { nodeEndpoint } from './node-endpoint.js'

/**
 * Answers asks in order, one at a time. The bytes directly in an answer are given away: the API must not use them afterwards.
 * @param limit asks that may wait; those beyond it fail with MAILBOX_FULL
 */
export function serve<Api extends ActorApi<Api> & object>(
  api: Api,
  port: MessagePort | null = parentPort,
  limit: number = MAILBOX_LIMIT,
): void {
  if (!port) throw new SluiceError('INTERNAL', 'an actor is served from a worker thread')
  installErrorCodec()
  const mailbox = createMailbox(api, limit)
  const answer = async (verb: string, args: unknown): Promise<unknown> => {
    const { value, buffers } = handOver(await mailbox.post(verb, args))
    return buffers.length > 0 ? transfer(value as object, buffers) : value
  }
  expose(answer, nodeEndpoint(port))
}
