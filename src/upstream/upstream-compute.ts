/** The compute pool as upstreams use it: what is too large to be read on the main thread. */
import type { ListKind, ListPage } from '../protocol/compute-api.js'
import type { FrameFacts } from '../protocol/frame.js'

export interface UpstreamCompute {
  /** The frame's buffer is transferred, and comes back with the answer. */
  frameFacts(frame: Uint8Array): Promise<{ facts: FrameFacts | undefined; frame: Uint8Array }>
  /** The frame's buffer is transferred. Rejects with UPSTREAM_PROTOCOL if there is no list in it. */
  readList(frame: Uint8Array, kind: ListKind): Promise<ListPage>
}
