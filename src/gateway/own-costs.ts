/** What the gateway's own tools cost in a list, by their text. */
import { messageOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { utf8Length } from '../base/utf8.js'
import type { Cost } from '../catalog/budget-guard.js'
import type { Settings } from '../config/config.js'
import type { PrepareOptions } from '../protocol/catalog-api.js'
import type { ListItem } from '../protocol/compute-api.js'
import type { CatalogShelf } from './catalog-shelf.js'
import { ownTools } from './own-entries.js'

export interface OwnCostsOptions {
  readonly settings: Settings
  readonly shelf: CatalogShelf
  readonly logger: Logger
}

export class OwnCosts {
  readonly #options: OwnCostsOptions
  #costs: ReadonlyMap<string, Cost> = new Map()

  constructor(options: OwnCostsOptions) {
    this.#options = options
  }

  /** Another object once the tools are counted. */
  get counted(): unknown {
    return this.#costs
  }

  /** Counts them, if that is not done yet. Never rejects. */
  async count(): Promise<void> {
    if (this.#costs.size > 0) return
    const { shelf, settings, logger } = this.#options
    const wordings = [...ownTools(settings, true), ...ownTools(settings, false)]
    const tools = wordings.map(({ key, json }) => ({ key, json, exposed: key }))
    const lists = { tools, resources: [], resourceTemplates: [], prompts: [] }
    try {
      const { entries } = await shelf.prepare({ server: { alias: 'sluice', name: 'sluice' }, lists, options: AS_THEY_ARE })
      this.#costs = new Map(entries.tools.map((entry) => [entry.json, entry]))
    } catch (error) {
      logger.error('own tools not counted', { error: messageOf(error) })
    }
  }

  of({ json }: ListItem): Cost {
    return this.#costs.get(json) ?? { bytes: utf8Length(json), tokens: 0, lastTokens: 0 }
  }
}

// --- internal ---

const AS_THEY_ARE: PrepareOptions = {
  compress: false,
  dialect: 'none',
  descriptionBudget: 0,
  withoutOutputSchema: false,
  disclosure: false,
  readTool: '',
  costs: true,
}
