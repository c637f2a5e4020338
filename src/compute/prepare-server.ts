/** A server's catalog made ready: listed entries with their costs, and the documents by which the index finds and explains them. */
import type { PrepareArgs, PreparedServer } from '../protocol/catalog-api.js'

export function prepareServer(_args: PrepareArgs): PreparedServer {
  throw new Error('to be written')
}
