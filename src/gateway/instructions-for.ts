/** The instructions of a session: the servers' own where they and all tools are little, else a guide to the index. */
import { utf8Length } from '../base/utf8.js'
import { renderGuide, responsesHint, type ServerBrief } from '../catalog/instructions.js'
import { firstSentence, headingsOf, oneLine } from '../catalog/prose.js'
import type { ServerFacts, Upstream } from '../upstream/upstream.js'
import { toolNamesOf } from './own-entries.js'
import type { SessionContext } from './session-context.js'

/** What a guide may take, and how much of the catalog's threshold. */
const MAX_GUIDE_BYTES = 2_000
const GUIDE_SHARE = 0.25
/** Instructions shorter than this many bytes are given whole. */
const SHORT_BYTES = 256
const SUMMARY_CHARS = 200
const MAX_HEADINGS = 12
const HEADING_CHARS = 60

/** @param only the server that a transparent proxy stands for */
export function instructionsFor(context: SessionContext, only: ServerFacts | undefined): string {
  const { settings, catalog } = context
  const large = catalog.isLarge || (context.index && settings.catalog.mode === 'manual')
  const whole = wholeInstructions(context, only)
  const maxBytes = Math.min(MAX_GUIDE_BYTES, Math.floor(settings.catalog.thresholdBytes * GUIDE_SHARE))
  const text = large ? guide(context, maxBytes) : whole
  // A guide counts with all that it may take: what servers are for is not known yet at a cold start, and lists must not depend on that.
  catalog.instructionBytes = large ? maxBytes : utf8Length(text)
  return text
}

// --- internal ---

function wholeInstructions({ settings, upstreams }: SessionContext, only: ServerFacts | undefined): string {
  const own = settings.responses.enabled ? [responsesHint(toolNamesOf(settings))] : []
  const theirs = upstreams.all().flatMap(({ server, facts }) => {
    if (!facts?.instructions) return []
    return [only ? facts.instructions : `# ${server.alias}\n\n${facts.instructions}`]
  })
  return [...own, ...theirs].join('\n\n')
}

function guide(context: SessionContext, maxBytes: number): string {
  const { settings, upstreams } = context
  return renderGuide({
    servers: upstreams.all().map((upstream) => briefOf(context, upstream)),
    names: toolNamesOf(settings),
    indexesResponses: settings.responses.enabled,
    maxBytes,
  })
}

function briefOf(context: SessionContext, upstream: Upstream): ServerBrief {
  const { server, facts } = upstream
  const own = facts?.instructions ?? ''
  const isShort = utf8Length(own) < SHORT_BYTES
  const tools = upstream.list('tools').filter(({ key }) => context.filters.allows(server, key))
  return {
    alias: server.alias,
    summary: server.description ? oneLine(server.description) : isShort ? oneLine(own) : firstSentence(own, SUMMARY_CHARS),
    headings: isShort ? [] : headingsOf(own, MAX_HEADINGS, HEADING_CHARS),
    tools: tools.map(({ key }) => context.tools.expose(server.alias, key)),
    resources: upstream.list('resources').length + upstream.list('resourceTemplates').length,
    prompts: upstream.list('prompts').length,
    isStarting: facts === undefined,
  }
}
