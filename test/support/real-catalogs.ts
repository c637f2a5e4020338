/** The catalogs of real servers, where the data is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CatalogServer, PrepareArgs, PrepareOptions } from '../../src/protocol/catalog-api.js'

const directory = join(process.env['SLUICE_DATA'] ?? '../shared/data', 'tools')

/** Said by tests that are skipped without the data. */
export const hasRealCatalogs = existsSync(directory)

export interface Catalog {
  readonly server?: string
  readonly serverInfo?: { readonly name?: string; readonly title?: string } | null
  readonly instructions?: string | null
  readonly tools?: readonly object[] | null
  readonly resources?: readonly object[] | null
  readonly resourceTemplates?: readonly object[] | null
  readonly prompts?: readonly object[] | null
}

/** By file name without its extension. */
export function realCatalogs(): [string, Catalog][] {
  if (!hasRealCatalogs) return []
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'))
  return files.map((file) => [file.slice(0, -5), JSON.parse(readFileSync(join(directory, file), 'utf8')) as Catalog])
}

export const PLAIN: PrepareOptions = {
  compress: false,
  descriptionBudget: 0,
  withoutOutputSchema: false,
  disclosure: false,
  readTool: 'IndexRead',
  costs: true,
}

/** Names get the prefix that the gateway would give; objects are printed as a server prints them, texts taken as they are. */
export function prepareArgs(alias: string, catalog: Catalog, options: PrepareOptions = PLAIN): PrepareArgs {
  const items = (list: readonly object[] | null | undefined, member: string, prefix: string) =>
    (list ?? []).map((entry) => {
      const key = String((entry as Readonly<Record<string, unknown>>)[member])
      return { key, exposed: prefix + key, json: JSON.stringify(entry) }
    })
  const { serverInfo, instructions } = catalog
  const server: CatalogServer = {
    alias,
    name: alias,
    ...(serverInfo?.title !== undefined && { title: serverInfo.title }),
    ...(instructions && { instructions }),
  }
  return {
    server,
    options,
    lists: {
      tools: items(catalog.tools, 'name', `${alias}__`),
      resources: items(catalog.resources, 'uri', ''),
      resourceTemplates: items(catalog.resourceTemplates, 'uriTemplate', ''),
      prompts: items(catalog.prompts, 'name', `${alias}__`),
    },
  }
}
