/** Errors across threads: in place of Comlink's own handler, which loses an error's code and ships its stack. */
import { type TransferHandler, transferHandlers } from 'comlink'
import { asSluiceError, type ErrorData, SluiceError } from '../base/errors.js'

/** Both sides of a thread call it before the first ask. Idempotent. A foreign error becomes ACTOR_FAILED with its message. */
export function installErrorCodec(): void {
  const builtIn = transferHandlers.get('throw')
  if (!builtIn) throw new SluiceError('INTERNAL', 'Comlink has no handler for thrown values')
  const codec: TransferHandler<{ readonly value: unknown }, ErrorData> = {
    canHandle: builtIn.canHandle as (thrown: unknown) => thrown is { readonly value: unknown },
    serialize: ({ value }) => [asSluiceError(value, 'ACTOR_FAILED').toData(), []],
    deserialize: (data) => {
      throw SluiceError.fromData(data)
    },
  }
  transferHandlers.set('throw', codec)
}
