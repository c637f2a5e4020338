/** How a JSON text is laid out, so that what is put into it looks like the rest. */

/** What one level is indented by: that of the first indented line, two spaces where there is none. */
export function indentOf(text: string): string {
  return /\n([ \t]+)(?=["/])/.exec(text)?.[1] ?? '  '
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
