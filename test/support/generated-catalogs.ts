/** Catalogs that are made up, the same in every run, for what must hold without the data. */
import type { Catalog } from './catalogs.js'

interface CatalogShape {
  readonly tools: number
  readonly resources?: number
  readonly prompts?: number
  /** Words of each tool's description. */
  readonly words?: number
  /** Parameters of each tool; every third is required. */
  readonly parameters?: number
  /** Words of the server's instructions. */
  readonly instructions?: number
}

/** A server whose tools, resources and prompts have names that say which is which: `issue_create_3`. */
export function generatedCatalog(server: string, shape: CatalogShape): Catalog {
  const { tools, resources = 0, prompts = 0, words = 20, parameters = 4, instructions = 0 } = shape
  const text = prose(server)
  return {
    server,
    ...(instructions > 0 && { instructions: `# ${server}\n\n${text(instructions)}` }),
    tools: times(tools, (at) => ({
      name: nameOf(at),
      description: `${text(words)} (${server} ${at})`,
      inputSchema: schemaOf(at, parameters, text),
      annotations: { readOnlyHint: at % 2 === 0 },
    })),
    resources: times(resources, (at) => ({
      uri: `${server}://record/${at}`,
      name: `record ${at}`,
      description: text(words),
    })),
    prompts: times(prompts, (at) => ({ name: `ask_${nameOf(at)}`, description: text(words) })),
  }
}

/** A server of about 2 MB: many tools, some of them with schemas of tens of kilobytes. */
export function hugeCatalog(server: string): Catalog {
  const many = generatedCatalog(server, {
    tools: 400,
    words: 160,
    parameters: 24,
    resources: 40,
    prompts: 20,
    instructions: 900,
  })
  const text = prose('huge')
  const giants = times(12, (at) => ({
    name: `giant_${at}`,
    description: text(400),
    inputSchema: schemaOf(at, 300, text),
  }))
  return { ...many, tools: [...giants, ...(many.tools ?? [])] }
}

// --- internal ---

const THINGS = ['issue', 'branch', 'invoice', 'sensor', 'playlist', 'ticket', 'shipment', 'recipe', 'flight', 'contract']
const DEEDS = ['create', 'list', 'delete', 'search', 'merge', 'export', 'archive', 'rename', 'share', 'count']
const WORDS =
  'a the of with for from every given new remote whole latest owner filter page result field value account time zone label state format'.split(
    ' ',
  )

function nameOf(at: number): string {
  return `${THINGS[at % THINGS.length]}_${DEEDS[Math.floor(at / THINGS.length) % DEEDS.length]}_${at}`
}

/** Words in an order that the seed decides. */
function prose(seed: string): (words: number) => string {
  let state = [...seed].reduce((sum, sign) => sum * 31 + sign.charCodeAt(0), 7) % 2_147_483_647
  const all = [...WORDS, ...THINGS, ...DEEDS]
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return all[state % all.length] ?? ''
  }
  return (words) => times(words, next).join(' ')
}

function schemaOf(at: number, parameters: number, text: (words: number) => string): object {
  const names = times(parameters, (place) => `${WORDS[(at + place) % WORDS.length]}_${place}`)
  const properties = names.map((name, place) => [name, parameterOf(place, text)])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter((_, place) => place % 3 === 0),
    additionalProperties: false,
  }
}

function parameterOf(place: number, text: (words: number) => string): object {
  if (place % 5 !== 4) return { type: place % 2 === 0 ? 'string' : 'integer', description: text(8) }
  return { type: 'object', description: text(12), properties: { from: { type: 'string' }, to: { type: 'string' } } }
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
