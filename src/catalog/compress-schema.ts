/** A schema without what changes no meaning. */

export interface CompressOptions {
  readonly descriptionBudget: number
  readonly toolName?: string
}

export function compressSchema(schema: unknown, _options: CompressOptions): unknown {
  return schema
}
