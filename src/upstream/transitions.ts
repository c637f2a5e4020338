/** Which state of an upstream may follow which. */
import { SluiceError } from '../base/errors.js'
import type { UpstreamState } from './upstream.js'

const TRANSITIONS: Readonly<Record<UpstreamState, readonly UpstreamState[]>> = {
  idle: ['starting', 'stopped'],
  starting: ['ready', 'down', 'stopped'],
  // `starting` again: an HTTP server forgot our session.
  ready: ['starting', 'down', 'idle', 'stopped'],
  down: ['starting', 'stopped'],
  stopped: [],
}

/** Returns `next`. Throws INTERNAL for a transition that cannot be. */
export function transition(server: string, from: UpstreamState, next: UpstreamState): UpstreamState {
  if (TRANSITIONS[from].includes(next)) return next
  throw new SluiceError('INTERNAL', `server "${server}" cannot go from ${from} to ${next}`)
}
