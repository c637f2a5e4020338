/** What a session uses of its tools, and what use has taught over all sessions. */
import type { ShelvedServer } from '../catalog/admission.js'
import { type Affinity, createAffinity, toolValues } from '../catalog/tool-value.js'
import type { ToolRef } from '../protocol/usage-api.js'
import { NO_USAGE, type Tally, type UsageJournal } from './usage-journal.js'

const MAX_USED = 50
const MAX_PREFERRED = 20

export class ToolsInUse {
  /** Resolves when what earlier sessions have taught is known. Never rejects. */
  readonly learned: Promise<void>
  readonly #journal: UsageJournal | undefined
  /** The latest last. */
  #used: readonly ToolRef[] = []
  #tally: Tally | undefined
  #valueOf = toolValues(NO_USAGE)
  #affinityWith = createAffinity(NO_USAGE)

  /** @param journal undefined: nothing is learned, and nothing remembered */
  constructor(journal: UsageJournal | undefined) {
    this.#journal = journal
    this.learned = this.#learn()
  }

  called(server: string, tool: string): void {
    const last = this.#tally
    if (last?.tool.tool !== tool || last.tool.server !== server) this.#turnTo({ server, tool })
    if (this.#tally) this.#journal?.used(this.#tally)
  }

  /** How much a tool was used; 0: never. */
  valueOf(tool: ToolRef): number {
    return this.#valueOf(tool)
  }

  /** What goes with the tools that this session has used. */
  affinity(): Affinity {
    return this.#affinityWith(this.#used)
  }

  /** Labels of tools that go with those in use, best first. */
  preferred(servers: readonly ShelvedServer[]): string[] {
    const affinity = this.affinity()
    if (affinity.isEmpty) return []
    return servers
      .flatMap(({ name, entries }) =>
        entries.tools.map(({ key, label }) => ({ label, value: affinity.valueOf({ server: name, tool: key }) })),
      )
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value)
      .slice(0, MAX_PREFERRED)
      .map(({ label }) => label)
  }

  // --- internal ---

  #turnTo(tool: ToolRef): void {
    this.#tally = { tool, after: this.#used.at(-1), times: 0 }
    const others = this.#used.filter((other) => other.server !== tool.server || other.tool !== tool.tool)
    this.#used = [...others.slice(1 - MAX_USED), tool]
  }

  async #learn(): Promise<void> {
    if (!this.#journal) return
    const scores = await this.#journal.read()
    this.#valueOf = toolValues(scores)
    this.#affinityWith = createAffinity(scores)
  }
}
