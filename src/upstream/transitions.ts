/** Which state of an upstream may follow which. */
import { SluiceError } from '../base/errors.js'
import type { UpstreamState } from './upstream.js'

const TRANSITIONS: Readonly<Record<UpstreamState, readonly UpstreamState[]>> = {
  idle: ['starting', 'stopped'],
  starting: ['ready', 'needs-login', 'down', 'stopped'],
  // `starting` again: an HTTP server forgot our session.
  ready: ['unreachable', 'starting', 'needs-login', 'down', 'idle', 'stopped'],
  unreachable: ['ready', 'starting', 'needs-login', 'down', 'idle', 'stopped'],
  'needs-login': ['starting', 'stopped'],
  down: ['starting', 'stopped'],
  stopped: [],
}

/** Whether requests go out at once. */
export function isOpen(state: UpstreamState): boolean {
  return state === 'ready' || state === 'unreachable'
}

/** Where a failure leads. */
export function afterFailure({ code }: SluiceError): UpstreamState {
  return code === 'UPSTREAM_LOGIN' ? 'needs-login' : 'down'
}

/** Returns `next`. Throws INTERNAL for a transition that cannot be. */
export function transition(server: string, from: UpstreamState, next: UpstreamState): UpstreamState {
  if (TRANSITIONS[from].includes(next)) return next
  throw new SluiceError('INTERNAL', `server "${server}" cannot go from ${from} to ${next}`)
}
