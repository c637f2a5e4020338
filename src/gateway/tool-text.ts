/** The gateway's own answer to a tool call. */
import type { ToolText } from '../protocol/session-api.js'

/** The JSON text of a CallToolResult. */
export function toolText({ text, isError }: ToolText): string {
  return JSON.stringify({ content: [{ type: 'text', text }], ...(isError && { isError }) })
}
