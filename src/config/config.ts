/** The validated configuration: complete, frozen, every default filled in. What a user writes is in `options.ts`. */

export type Naming = 'prefixed' | 'bare'
export type Instances = 'session' | 'shared'

/** How a server is reached. `auto` is Streamable HTTP first, then legacy SSE when the server answers 4xx to the POST. */
export type Wire =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | undefined
      /** Pass all of the gateway's environment instead of the SDK's short list. */
      readonly inheritEnv: boolean
    }
  | {
      readonly kind: 'http' | 'sse' | 'auto'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly oauth?: OAuthConfig
    }

/** What the entry says of logins. Without a client id, one is registered at the first login. */
export interface OAuthConfig {
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** Asked for in place of what the server names; empty: what the server names. */
  readonly scopes: readonly string[]
}

/** What is done to a server's results before they are indexed or reach the client. */
export interface DietConfig {
  readonly minify: boolean
  /** UTF-16 code units; undefined: no limit. */
  readonly maxChars: number | undefined
  readonly images: ImagesConfig | undefined
}

/** Undefined: as they are. */
export interface ImagesConfig {
  /** Above 0, at most 1. */
  readonly scale: number | undefined
  readonly format: 'png' | 'jpeg' | 'webp' | 'avif' | undefined
  /** 1 to 100. */
  readonly quality: number | undefined
}

export interface ServerConfig {
  /** The key in the file. */
  readonly name: string
  /** The prefix of exposed names: `alias` where it is legal and given, else made from the name. Unique. */
  readonly alias: string
  readonly description: string | undefined
  readonly wire: Wire
  /** Globs on the server's own tool names; empty `include` means all; `exclude` wins. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** Bytes above which a result is indexed, for the first glob that fits the tool's own name; undefined: the settings' threshold. */
  readonly responseThreshold: readonly ToolThreshold[]
  /** Undefined: results stay as they are. */
  readonly diet: DietConfig | undefined
  readonly instances: Instances
  readonly connectTimeoutMs: number
  /** Undefined: no limit. */
  readonly callTimeoutMs: number | undefined
  /** Undefined: never stopped for being idle. */
  readonly idleTimeoutMs: number | undefined
}

export interface ToolThreshold {
  readonly glob: string
  readonly bytes: number
}

export interface ResponsesConfig {
  readonly enabled: boolean
  readonly thresholdBytes: number
  readonly resources: boolean
  readonly prompts: boolean
}

/** Whether and how a search asks for meanings. */
export interface VectorConfig {
  readonly enabled: boolean
  /** A name on the hub, a folder, or `use-lite`. */
  readonly model: string
  readonly runtime: 'auto' | 'native' | 'wasm'
}

/** How the catalog is kept small. */
export interface CatalogConfig {
  readonly enabled: boolean
  /** A catalog of more UTF-8 bytes than this is indexed, and what a client is given of it stays below. */
  readonly thresholdBytes: number
  readonly mode: 'auto' | 'manual' | 'off'
  /** Servers listed in mode manual. */
  readonly allowlist: readonly string[]
  /** Exposed names or `server::tool`. */
  readonly pins: readonly string[]
  readonly maxTools: number
  /** o200k tokens of the array of tools, the gateway's own included. */
  readonly contextBudget: number
  readonly adaptive: boolean
  readonly disclosure: boolean
  /** Characters; 0 keeps all. */
  readonly descriptionBudget: number
  readonly activation: 'auto' | 'on' | 'off'
  /** Whose rules listed schemas keep to. */
  readonly dialect: 'auto' | 'claude' | 'openai' | 'gemini' | 'none'
}

export interface Settings {
  readonly naming: Naming
  readonly initWaitMs: number
  readonly listWaitMs: number
  readonly searchWaitMs: number
  /** Entries on a page of a list; undefined: all on one. */
  readonly pageSize: number | undefined
  readonly startConcurrency: number
  readonly maxWorkers: number
  readonly sessionIdleMs: number
  readonly hibernateAfterMs: number
  readonly maxIndexBytes: number
  readonly maxMessageBytes: number
  readonly stats: boolean
  /** Undefined: no JWTs. */
  readonly jwt: JwtConfig | undefined
  readonly responses: ResponsesConfig
  readonly catalog: CatalogConfig
  readonly vector: VectorConfig
  readonly searchTool: string
  readonly readTool: string
  readonly callTool: string
  /** Tools under CtxSlim's names that are offered as well. */
  readonly metaTools: readonly ('search_tools' | 'describe_tools' | 'enable_tools' | 'list_servers' | 'slim_stats')[]
}

/** The issuer whose tokens clients over HTTP may have. */
export interface JwtConfig {
  readonly issuer: string
  readonly audience: string
  /** Where its keys are. */
  readonly jwks: string
}

export interface ClientSettings {
  readonly glob: string
  readonly settings: Settings
}

export interface DisabledServer {
  readonly name: string
  /** Why, with the field: `url: "ftp://x" is no http(s) URL`. */
  readonly reason: string
}

export interface GatewayConfig {
  /** The file it came from, or a word for where else (`demo`). */
  readonly origin: string
  readonly settings: Settings
  /** Settings of clients that have their own, by a glob on their name; the first that fits counts. */
  readonly clients: readonly ClientSettings[]
  /** Usable servers in the order of the file. */
  readonly servers: readonly ServerConfig[]
  /** Servers with a fault in their entry. */
  readonly disabled: readonly DisabledServer[]
  /** Names of servers that their entry switches off. */
  readonly switchedOff: readonly string[]
  /** Things passed over, one line each, for the log. */
  readonly notes: readonly string[]
  /** Takes every secret value of the configuration (env, headers, URL passwords) out of a text. */
  readonly redact: (text: string) => string
}
