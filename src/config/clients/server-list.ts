/** The list of servers in a client's file, as text that can be edited: what both formats offer. */
import type { MemberEdit } from '../json-members.js'

export interface ServerListFormat {
  /** Changes nothing outside the entries: comments, order, indentation and line ends stay. The text must be valid. */
  readonly edit: (text: string, list: readonly string[], edit: MemberEdit) => string
  /** An entry as it stands in the text, to be put into another one; undefined where that cannot be cut out. */
  readonly textOf: (text: string, list: readonly string[], name: string) => string | undefined
}
