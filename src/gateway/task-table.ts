/** Tasks of many servers under ids that are one client's: who owns a task, and what its server calls it. */
import { BoundedMap } from '../base/bounded-map.js'
import type { Upstream } from '../upstream/upstream.js'
import type { Candidate } from './context-index.js'

export interface TaskOwner {
  readonly upstream: Upstream
  /** The server's own id of the task. */
  readonly id: string
  /** How the task's result is indexed, like that of the call that started it. */
  readonly candidate: Candidate | undefined
}

const MAX_TASKS = 10_000

export class TaskTable {
  readonly #owners = new BoundedMap<string, TaskOwner>(MAX_TASKS)
  readonly #exposed = new BoundedMap<string, string>(MAX_TASKS)
  readonly #mapped = new Set<string>()

  /** The client's id of a task: the server's own, unless another server has a task of that id. */
  expose(owner: TaskOwner): string {
    const { upstream, id } = owner
    const { alias } = upstream.server
    const known = this.#exposed.get(`${alias}\0${id}`)
    if (known !== undefined) {
      if (owner.candidate) this.#owners.set(known, owner)
      return known
    }
    const taken = this.#owners.has(id)
    const exposed = taken ? `${alias}/${id}` : id
    if (taken) this.#mapped.add(alias)
    this.#exposed.set(`${alias}\0${id}`, exposed)
    this.#owners.set(exposed, owner)
    return exposed
  }

  resolve(exposed: string): TaskOwner | undefined {
    return this.#owners.get(exposed)
  }

  /** The client's id of a task that a server speaks of. */
  outward(alias: string, id: string): string {
    return this.#exposed.get(`${alias}\0${id}`) ?? id
  }

  /** Whether any task of this server has another id than its own. */
  hasMapped(alias: string): boolean {
    return this.#mapped.has(alias)
  }
}
