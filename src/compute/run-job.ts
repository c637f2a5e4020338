/** The tasks of the compute pool by name. A failure comes back as data, since the pool loses an error's code. */
import { asSluiceError } from '../base/errors.js'
import { readListPage } from '../catalog/list-page.js'
import type { ComputeJob, ComputeOutcome, ComputeTask, ComputeTasks } from '../protocol/compute-api.js'
import { frameFacts } from '../protocol/frame.js'
import { keepPrepared, loadPrepared } from './prepared-file.js'

/** Never rejects; what a task throws becomes `error`, foreign errors with the code ACTOR_FAILED. */
export async function runJob<T extends ComputeTask>({ task, args }: ComputeJob<T>): Promise<ComputeOutcome<T>> {
  try {
    return { ok: await TASKS[task](args) }
  } catch (thrown) {
    return { error: asSluiceError(thrown, 'ACTOR_FAILED').toData() }
  }
}

// --- internal ---

type Task<T extends ComputeTask> = (
  args: ComputeTasks[T]['args'],
) => ComputeTasks[T]['result'] | Promise<ComputeTasks[T]['result']>

const TASKS: { readonly [T in ComputeTask]: Task<T> } = {
  frameFacts: ({ frame }) => ({ facts: frameFacts(frame), frame }),
  readList: ({ frame, kind }) => readListPage(frame, kind),
  slimResult: async (args) => (await import('./slim-result.js')).slimResult(args),
  // Its tables take 60 MB: only the one thread that counts loads them.
  countTokens: async ({ texts }) => (await import('./count-tokens.js')).countTokens(texts),
  prepareServer: async (args) => {
    const costOf = args.options.costs ? (await import('./entry-cost.js')).createEntryCost() : undefined
    const prepared = (await import('./prepare-server.js')).prepareServer(args, costOf)
    if (args.keepAs) await keepPrepared(args.keepAs, prepared)
    return prepared
  },
  loadPrepared,
  // SQLite loads on use.
  recordUses: async (args) => (await import('../usage/usage-file.js')).recordUses(args),
  readUsage: async (args) => (await import('../usage/usage-file.js')).readUsage(args),
  recordCalls: async (args) => (await import('./record-calls.js')).recordCalls(args),
  readStats: async (place) => (await import('../usage/audit-files.js')).readSums(place).report(),
  readToolUse: async (place) => (await import('../usage/tool-use.js')).toolUse(place),
  readAudit: async (question) => (await import('../usage/audit-report.js')).auditReport(question),
}
