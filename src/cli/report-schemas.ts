/** What `sluice stats --json` and `sluice audit --json` print. Fields are added, never given another meaning. */
import * as z from 'zod'
import type { AuditReport, StatsReport } from '../protocol/audit-api.js'

const count = z.int().min(0)
const time = z.iso.datetime()
const dollars = z.number().min(0)

const serverStats = z.strictObject({
  server: z.string().describe('its key in the configuration'),
  calls: count,
  errors: count.describe('of tools, too'),
  tokens: z.strictObject({
    keptOut: count.describe('of responses that a receipt took the place of'),
    receipts: count,
    net: z.int().describe('keptOut - receipts'),
  }),
})

export const statsReportSchema: z.ZodType<StatsReport> = z.strictObject({
  since: time.nullable().describe('the first line; null: nothing is recorded'),
  until: time.nullable(),
  sessions: count,
  calls: count.describe('of tools of servers'),
  errors: count,
  searches: count,
  reads: count,
  lists: count,
  tokens: z.strictObject({
    keptOut: count.describe('of responses that a receipt took the place of'),
    receipts: count,
    searches: count,
    reads: count,
    definitions: count.describe('as the servers have them, once a session that has seen a list of tools'),
    listed: count.describe('what these sessions were listed instead'),
    net: z.int().describe('keptOut + definitions - listed - receipts - searches - reads; below 0: more was spent than saved'),
  }),
  tokensEstimated: z.boolean().describe('whether estimates are among the counts: of texts above 64 KiB, or unbroken'),
  servers: z.array(serverStats),
  damagedLines: count,
})

const spending = z.strictObject({
  requests: count.describe('to the model, at least: calls side by side come of one'),
  results: count.describe('tokens, each result once'),
  definitions: count.describe('tokens over all requests'),
  definitionsWritten: count.describe('those among them that no prompt cache can have yet'),
})

const spendingPrice = z.strictObject({
  results: dollars,
  definitions: dollars.describe("all at the input's rate"),
  definitionsCached: dollars.describe("written at the input's rate, otherwise read from the cache"),
})

const work = {
  since: time,
  until: time,
  calls: count,
  searches: count,
  reads: count,
  errors: count,
  duplicates: count.describe('the same call of the same task with the same result'),
  tokens: z.strictObject({
    sluice: spending,
    direct: spending.describe('as it would be without Sluice'),
    errors: count,
    duplicates: count,
    estimated: z.boolean(),
  }),
  prices: z
    .array(
      z.strictObject({
        model: z.string(),
        sluice: spendingPrice,
        direct: spendingPrice,
        errors: dollars,
        duplicates: dollars,
      }),
    )
    .describe('US$; what tools put out is what a model takes in'),
}

export const modelRatesSchema = z.strictObject({ input: dollars, output: dollars, cacheRead: dollars })

export const auditReportSchema: z.ZodType<AuditReport> = z.strictObject({
  ratesAsOf: z.string(),
  models: z.record(z.string(), modelRatesSchema).describe('US$ per million tokens'),
  gapSeconds: z.number().describe('a longer pause ends a task'),
  damagedLines: count,
  total: z.strictObject(work).nullable(),
  tasks: z.array(z.strictObject({ session: z.string(), client: z.string(), ...work })),
})
