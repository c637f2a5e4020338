/** Keeps a server from being stopped for idleness while a task of the session's runs there, by what it says of the task. */
import { asRecord } from '../protocol/messages.js'
import type { Upstream } from '../upstream/upstream.js'

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled'])

/** @param task as it stands in the answer that created it, or in one about it */
export function noteTask(upstream: Upstream, holder: object, task: unknown): void {
  const { taskId, status, ttl } = asRecord(task) ?? {}
  if (typeof taskId !== 'string') return
  if (ENDED.has(status)) upstream.orders.taskEnded(holder, taskId)
  else upstream.orders.taskRuns(holder, taskId, typeof ttl === 'number' ? ttl : undefined)
}

/** A notification says what has become of a task. It starts none: the task may be another session's. */
export function noteStatus(upstream: Upstream, holder: object, task: { readonly id: string; readonly status: unknown }): void {
  if (ENDED.has(task.status)) upstream.orders.taskEnded(holder, task.id)
}
