/** How a JSON text is laid out, so that what is put into it looks like the rest. */
import type { FormattingOptions } from 'jsonc-parser'

/** What one level is indented by: that of the first indented line, two spaces where there is none. */
export function indentOf(text: string): string {
  return /\n([ \t]+)(?=["/])/.exec(text)?.[1] ?? '  '
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** As jsonc-parser takes it. */
export function jsonFormat(text: string): FormattingOptions {
  const indent = indentOf(text)
  const insertSpaces = !indent.startsWith('\t')
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol: lineBreakOf(text) }
}
