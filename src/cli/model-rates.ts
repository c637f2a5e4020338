/** What models cost, in US$ per million tokens. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { messageOf, SluiceError } from '../base/errors.js'
import { nearest } from '../base/nearest.js'
import type { ModelRates } from '../protocol/audit-api.js'
import { modelRatesSchema } from './report-schemas.js'

export interface Rates {
  readonly asOf: string
  readonly models: Readonly<Record<string, ModelRates>>
}

/** The rates in use: ours, over them those of a file (`{"asOf": "…", "models": {"name": {input, output, cacheRead}}}`). USAGE. */
export function loadRates(file: string | undefined): Rates {
  if (file === undefined) return RATES
  const parsed = priceFileSchema.safeParse(readJson(file))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new SluiceError('USAGE', `${file}: ${issue?.path.join('.') || 'it'}: ${issue?.message}`)
  }
  const { asOf, models } = parsed.data
  return { asOf: asOf ?? RATES.asOf, models: { ...RATES.models, ...models } }
}

/** One model's rates, or all. USAGE for a model that has none. */
export function ratesFor({ asOf, models }: Rates, model: string | undefined): Rates {
  if (model === undefined) return { asOf, models }
  const rates = Object.hasOwn(models, model) ? models[model] : undefined
  if (rates) return { asOf, models: { [model]: rates } }
  const meant = nearest(model, Object.keys(models))
  const hint = meant ? `; did you mean ${JSON.stringify(meant)}?` : `; there are ${Object.keys(models).join(', ')}`
  throw new SluiceError('USAGE', `${JSON.stringify(model)} has no rates${hint} --prices gives others`)
}

// --- internal ---

const RATES: Rates = {
  asOf: '2026-09-08',
  models: {
    'claude-fable-5-1': { input: 10, output: 50, cacheRead: 0.25 },
    'claude-opus-5': { input: 5, output: 25, cacheRead: 0.5 },
    'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2 },
    'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1 },
    'gpt-6-astra': { input: 10, output: 50, cacheRead: 1 },
    'gpt-5.6-sol': { input: 4, output: 20, cacheRead: 0.4 },
    'gpt-5.6-terra': { input: 2, output: 12, cacheRead: 0.2 },
    'gpt-5.6-luna': { input: 0.2, output: 1.2, cacheRead: 0.02 },
    'gemini-3.1-pro': { input: 2, output: 12, cacheRead: 0.2 },
    'gemini-3.8-flash': { input: 0.75, output: 3.75, cacheRead: 0.075 },
  },
}

const priceFileSchema = z.strictObject({
  asOf: z.iso.date().optional(),
  models: z.record(z.string().min(1), modelRatesSchema),
})

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SluiceError('USAGE', `${file} cannot be read as prices: ${messageOf(cause)}`, { cause })
  }
}
