/** The list of servers in a client's file, as text that can be edited: what both formats offer. */

export interface AddedServer {
  readonly name: string
  readonly value: Readonly<Record<string, unknown>>
  /** The value as it is to be written, from a file of the same format; else it is made from the value. */
  readonly text?: string | undefined
}

export interface ServerEdit {
  /** Names of entries to take out; those that are not there are passed over. */
  readonly remove: readonly string[]
  /** Goes where the first of those was, else behind the last entry. None of the names may be there already. */
  readonly add: readonly AddedServer[]
}

export interface ServerListFormat {
  /** Changes nothing outside the entries: comments, order, indentation and line ends stay. The text must be valid. */
  readonly edit: (text: string, list: readonly string[], edit: ServerEdit) => string
  /** An entry as it stands in the text, to be put into another one; undefined where that cannot be cut out. */
  readonly textOf: (text: string, list: readonly string[], name: string) => string | undefined
}
