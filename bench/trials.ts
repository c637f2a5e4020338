/** The trials of the bench: a name, what it measures, and its suite. Each runs in a process of its own. */

import { catalogStarts } from './suites/catalog-starts.js'
import { catalogs } from './suites/catalogs.js'
import { embedding } from './suites/embedding.js'
import { hybridSearch } from './suites/hybrid-search.js'
import { indexing } from './suites/indexing.js'
import { isolation } from './suites/isolation.js'
import { passageSearch } from './suites/passage-search.js'
import { receipts } from './suites/receipts.js'
import { searches } from './suites/searches.js'
import { sessions } from './suites/sessions.js'
import { smallCalls } from './suites/small-calls.js'
import { soak } from './suites/soak.js'
import { toolSearch } from './suites/tool-search.js'

export interface TrialOptions {
  /** A short run that only shows that the trial works. */
  readonly smoke: boolean
}

/** One line of the table: numbers with their units in their names. */
export interface Row {
  readonly [column: string]: string | number
}

export interface Trial {
  readonly name: string
  readonly measures: string
  readonly run: (options: TrialOptions) => Promise<readonly Row[]>
}

export const TRIALS: readonly Trial[] = [
  {
    name: 'small-calls',
    measures: 'an echo direct, through Sluice and through a plain proxy of the SDK, alternating',
    run: smallCalls,
  },
  { name: 'receipts', measures: 'a large response: sent as it is, as a receipt, and indexed to the end', run: receipts },
  {
    name: 'isolation',
    measures: 'pings of one session while another receives large results, and the event loop',
    run: isolation,
  },
  {
    name: 'sessions',
    measures: 'many sessions over HTTP with 1 MB each: memory active and asleep, waking, isolation',
    run: sessions,
  },
  { name: 'indexing', measures: 'text into the full-text index, against a plain FTS5 table', run: indexing },
  { name: 'searches', measures: 'a search of one to three words in indexed text', run: searches },
  { name: 'catalogs', measures: 'definitions of real servers: what they are, and what a client is given', run: catalogs },
  {
    name: 'catalog-starts',
    measures: 'the same servers: first list cold and warm, list again, pings meanwhile',
    run: catalogStarts,
  },
  { name: 'soak', measures: 'what is held after many calls, large, small and cancelled ones', run: soak },
  { name: 'tool-search', measures: 'labelled queries for tools: how many of the right ones come first', run: toolSearch },
  { name: 'passage-search', measures: 'labelled queries for passages, each a response or all in one', run: passageSearch },
  { name: 'hybrid-search', measures: 'the same sets by words alone → with vectors of a weak model', run: hybridSearch },
  {
    name: 'embedding',
    measures: 'passages of 600 characters; a session with 1 MB of text, all of it embedded',
    run: embedding,
  },
]
