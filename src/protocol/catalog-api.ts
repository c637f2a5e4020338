/** A server's catalog as it crosses threads: made ready in the compute pool, listed by the coordinator, searched by the session actor. */
import type { ListKind } from './compute-api.js'

/** What is known of a server beside its lists. */
export interface CatalogServer {
  readonly alias: string
  /** The key in the configuration file. */
  readonly name: string
  /** `serverInfo.title`, else `serverInfo.name`, where it says so. */
  readonly title?: string
  /** The configuration's `description`. */
  readonly description?: string
  /** The server's own instructions, complete. */
  readonly instructions?: string
}

/** An entry of a server's list with the name that the session gives it. */
export interface ExposedItem {
  /** The upstream's own name or URI (template). */
  readonly key: string
  /** The name or URI under which the client sees it. */
  readonly exposed: string
  /** The entry's JSON text as the server sent it. */
  readonly json: string
}

/**
 * Whose rules the input schemas of listed tools keep to: those of one LLM API, what all but the strictest of them take (`common`), or
 * nobody's.
 */
export type SchemaDialect = 'claude' | 'openai' | 'gemini' | 'common' | 'none'

export interface PrepareOptions {
  /** Schemas compressed and descriptions cut. */
  readonly compress: boolean
  /** Input schemas lowered to what an LLM API takes. */
  readonly dialect: SchemaDialect
  /** Characters kept of a description; 0: all. */
  readonly descriptionBudget: number
  /** Tools without outputSchema. */
  readonly withoutOutputSchema: boolean
  /** Tools as stubs with an open schema. */
  readonly disclosure: boolean
  /** The name under which the reading tool is listed; stubs point to it. */
  readonly readTool: string
  /** Count tokens; without it entries cost 0. */
  readonly costs: boolean
}

export interface PrepareArgs {
  readonly server: CatalogServer
  readonly lists: Readonly<Record<ListKind, readonly ExposedItem[]>>
  readonly options: PrepareOptions
}

/** An entry as it is listed. */
export interface PreparedEntry {
  readonly key: string
  readonly exposed: string
  /** Its document in the index: `mcp/<alias>/tool/<name>`. */
  readonly label: string
  readonly json: string
  /** UTF-8 bytes of `json`. */
  readonly bytes: number
  /** o200k tokens that it adds to a list when another entry follows it, the comma included. */
  readonly tokens: number
  /** o200k tokens that it adds as the last entry, the closing bracket included. */
  readonly lastTokens: number
}

/** A schema that no client, or no client of the dialect, would take, and what was done about it. */
export interface Repair {
  /** The tool's own name. */
  readonly tool: string
  readonly what: string
  readonly why: string
}

export interface PreparedServer {
  /** In the order given. */
  readonly entries: Readonly<Record<ListKind, readonly PreparedEntry[]>>
  /** UTF-8 bytes of the lists and instructions as the server sent them. */
  readonly rawBytes: number
  /** What the server is for: its description, else the first sentence of its instructions; may be empty. */
  readonly summary: string
  /** Headings of its instructions. */
  readonly headings: readonly string[]
  readonly repairs: readonly Repair[]
  /** What was lowered for the dialect. */
  readonly lowered: readonly Repair[]
  /** JSON text (UTF-8) of {@link CatalogDoc}s, in shared memory: posting it to a thread copies nothing. */
  readonly docs: Uint8Array<SharedArrayBuffer>
}

/** What a document of the catalog describes; templates are resources. */
export type DocKind = 'server' | 'tool' | 'resource' | 'prompt'

/** A searchable, readable document of the catalog. */
export interface CatalogDoc {
  /** `mcp/<alias>`, `mcp/<alias>/tool/<name>`, `…/resource/<name>`, `…/prompt/<name>`. Unique. */
  readonly label: string
  readonly kind: DocKind
  /** The name to call it by; of a resource its URI; of a server its alias. */
  readonly exposed: string
  /** All of it, as IndexRead gives it. */
  readonly text: string
  /** So many lines of `text`, from the first, are what a hit shows: description and schema, or an outline of the parameters. */
  readonly headLines: number
  /** What it is ranked by. */
  readonly fields: {
    /** The upstream's own name. */
    readonly name: string
    readonly title: string
    readonly description: string
    /** Names and descriptions of parameters at every depth. */
    readonly parameters: string
    /** Alias, name and title of the server. */
    readonly server: string
  }
}
