/** Catalogs made ready in the test's own thread, and their documents. */
import { createEntryCost } from '../../src/compute/entry-cost.js'
import { prepareServer } from '../../src/compute/prepare-server.js'
import type { CatalogDoc, PrepareArgs, PreparedServer, PrepareOptions } from '../../src/protocol/catalog-api.js'
import { type Catalog, prepareArgs } from './catalogs.js'

export const PLAIN: PrepareOptions = {
  compress: false,
  dialect: 'none',
  descriptionBudget: 0,
  withoutOutputSchema: false,
  disclosure: false,
  readTool: 'IndexRead',
  costs: true,
}

export const COMPRESSED: PrepareOptions = { ...PLAIN, compress: true, descriptionBudget: 80 }

export const prepareHere = (args: PrepareArgs) => prepareServer(args, args.options.costs ? createEntryCost() : undefined)
export const prepare = (catalog: Catalog, options: PrepareOptions = PLAIN) => prepareHere(prepareArgs('srv', catalog, options))
export const docsOf = ({ docs }: PreparedServer) => JSON.parse(Buffer.from(docs).toString('utf8')) as CatalogDoc[]
export const docOf = (prepared: PreparedServer, label: string) => {
  const doc = docsOf(prepared).find((candidate) => candidate.label === label)
  if (!doc) throw new Error(`no document ${label}`)
  return doc
}
export const headOf = ({ text, headLines }: CatalogDoc) => text.split('\n').slice(0, headLines)
