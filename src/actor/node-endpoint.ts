/** A worker_threads port or worker as the endpoint that Comlink speaks through; the adapter it ships has no usable types. */
import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads'

type MessageListener = (event: { readonly data: unknown }) => void
type Listener = MessageListener | { handleEvent: MessageListener }

export interface NodeEndpoint {
  postMessage(message: unknown, transfer?: TransferListItem[]): void
  addEventListener(type: string, listener: Listener): void
  removeEventListener(type: string, listener: Listener): void
}

export function nodeEndpoint(port: MessagePort | Worker): NodeEndpoint {
  const wrapped = new Map<Listener, (data: unknown) => void>()
  return {
    postMessage: (message, transfer) => port.postMessage(message, transfer),
    addEventListener(_type, listener) {
      const onMessage = (data: unknown) =>
        typeof listener === 'function' ? listener({ data }) : listener.handleEvent({ data })
      wrapped.set(listener, onMessage)
      port.on('message', onMessage)
    },
    removeEventListener(_type, listener) {
      const onMessage = wrapped.get(listener)
      if (onMessage) port.off('message', onMessage)
      wrapped.delete(listener)
    },
  }
}
