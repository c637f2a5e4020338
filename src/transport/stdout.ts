/** Standard output as a stream that never blocks the event loop. */
import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/**
 * Node writes to a stdout that is a pipe synchronously, so a client that reads slowly would stop every session; a socket on the
 * same descriptor waits without blocking. Terminals and files stay with `process.stdout`. Nothing else may write to stdout.
 */
export function openStdout(): Writable {
  const facts = fstatSync(STDOUT)
  const piped = facts.isFIFO() || facts.isSocket()
  return piped ? new Socket({ fd: STDOUT, readable: false, writable: true }) : process.stdout
}

// --- internal ---

const STDOUT = 1
