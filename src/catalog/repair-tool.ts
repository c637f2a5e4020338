/** A tool whose schemas every client takes, and what was done for it. */

export function repairTool(tool: Readonly<Record<string, unknown>>): {
  tool: Readonly<Record<string, unknown>>
  repairs: { readonly what: string; readonly why: string }[]
} {
  return { tool, repairs: [] }
}
