/** Makes a URI of a resource template (RFC 6570) and the values that a model gives. Pure. */

/** The URI, or the variables without which there is none: those of a query may be absent. */
export type Expansion = { readonly uri: string } | { readonly missing: readonly string[] }

/** @param values text, numbers and true or false as they are; of an array its items, with commas between them */
export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): Expansion {
  const missing: string[] = []
  const uri = template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const style = STYLES.get(operator) ?? PLAIN
    const parts = list.split(',').flatMap((variable) => {
      const { name, most } = variableOf(variable)
      const text = Object.hasOwn(values, name) ? textOf(values[name], style) : undefined
      if (text === undefined && !style.named) missing.push(name)
      if (text === undefined) return []
      const shown = most === undefined ? text : [...text].slice(0, most).join('')
      return [style.named ? `${name}=${shown}` : shown]
    })
    return parts.length === 0 ? '' : style.first + parts.join(style.between)
  })
  return missing.length > 0 ? { missing: [...new Set(missing)] } : { uri }
}

// --- internal ---

interface Style {
  readonly first: string
  readonly between: string
  readonly named: boolean
  /** What is reserved in URIs stays as it is. */
  readonly reserved: boolean
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g
const PLAIN: Style = { first: '', between: ',', named: false, reserved: false }
const STYLES: ReadonlyMap<string, Style> = new Map([
  ['+', { ...PLAIN, reserved: true }],
  ['#', { ...PLAIN, first: '#', reserved: true }],
  ['.', { ...PLAIN, first: '.', between: '.' }],
  ['/', { ...PLAIN, first: '/', between: '/' }],
  [';', { ...PLAIN, first: ';', between: ';', named: true }],
  ['?', { ...PLAIN, first: '?', between: '&', named: true }],
  ['&', { ...PLAIN, first: '&', between: '&', named: true }],
])

/** `name`, `name*` (explode) or `name:3` (its first three characters). */
function variableOf(variable: string): { name: string; most: number | undefined } {
  const [, name = '', most] = /^\s*(.*?)(?:\*|:(\d+))?\s*$/.exec(variable) ?? []
  return { name, most: most === undefined ? undefined : Number(most) }
}

function textOf(value: unknown, style: Style): string | undefined {
  if (Array.isArray(value)) return value.map((item) => textOf(item, style) ?? '').join(',')
  if (value === undefined || value === null || typeof value === 'object') return undefined
  const text = String(value).toWellFormed()
  return style.reserved ? encodeURI(text) : encodeURIComponent(text)
}
