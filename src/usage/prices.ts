/** What tokens cost. */
import type { ModelPrice, ModelRates, Spending, SpendingPrice } from '../protocol/audit-api.js'

interface Priced {
  readonly sluice: Spending
  readonly direct: Spending
  readonly errorTokens: number
  readonly duplicateTokens: number
}

/** US$, to a millionth. What tools put out is what a model takes in: only the input's rates count. */
export function priceOf(
  model: string,
  rates: ModelRates,
  { sluice, direct, errorTokens, duplicateTokens }: Priced,
): ModelPrice {
  return {
    model,
    sluice: spendingPrice(sluice, rates),
    direct: spendingPrice(direct, rates),
    errors: dollars(errorTokens * rates.input),
    duplicates: dollars(duplicateTokens * rates.input),
  }
}

// --- internal ---

function spendingPrice(
  { results, definitions, definitionsWritten }: Spending,
  { input, cacheRead }: ModelRates,
): SpendingPrice {
  return {
    results: dollars(results * input),
    definitions: dollars(definitions * input),
    definitionsCached: dollars(definitionsWritten * input + (definitions - definitionsWritten) * cacheRead),
  }
}

/** Of millionths: rates are for a million tokens. */
function dollars(millionths: number): number {
  return Math.round(millionths) / 1_000_000
}
