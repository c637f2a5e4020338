/** A thread of the compute pool: takes one job at a time and gives its outcome, bytes moved rather than copied. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { handOver } from '../src/actor/hand-over.js'
import { runJob } from '../src/compute/run-job.js'
import type { ComputeJob } from '../src/protocol/compute-api.js'

export default async function compute(job: ComputeJob): Promise<unknown> {
  const outcome = await runJob(job)
  if ('error' in outcome) return outcome
  const { value, buffers } = handOver(outcome.ok)
  return move({ [transferableSymbol]: buffers, [valueSymbol]: { ok: value } })
}
