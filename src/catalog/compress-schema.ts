/** A schema without what changes no meaning. */

export function compressSchema(schema: unknown, _options: { readonly descriptionBudget: number }): unknown {
  return schema
}
