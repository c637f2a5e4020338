/** One server under examination: whether it is there, how long it took, and what was done to its tools. */
import { ERROR_CODES, type SluiceError } from '../base/errors.js'
import type { SessionContext } from '../gateway/session-context.js'
import { hiddenTools } from '../gateway/tool-facts.js'
import type { Upstream } from '../upstream/upstream.js'
import type { DoctorReport, Finding } from './doctor-report.js'
import { leftOut, renamedTools, repairsOf } from './tool-changes.js'

/** @param startMs undefined: it did not start */
export function examineServer(
  context: SessionContext,
  upstream: Upstream,
  startMs: number | undefined,
): DoctorReport['servers'][number] {
  const isReady = startMs !== undefined
  return {
    name: upstream.server.name,
    state: isReady ? 'ready' : 'failed',
    startMs: startMs ?? null,
    tools: upstream.list('tools').length,
    resources: upstream.list('resources').length,
    prompts: upstream.list('prompts').length,
    findings: [
      ...(isReady ? slowStart(startMs) : [failure(upstream.lastError, context.config.redact)]),
      ...schemaFindings(context, upstream),
      ...nameFindings(context, upstream),
    ],
  }
}

// --- internal ---

/** Longer than a client waits before it shows its tools. */
const SLOW_MS = 5_000
const MOST_NAMES = 10

function slowStart(startMs: number): Finding[] {
  if (startMs <= SLOW_MS) return []
  const todo = 'install it instead of fetching it at each start (npx, uvx); its tools come late until it is in the cache'
  return [{ kind: 'slow start', level: 'problem', what: `it took ${(startMs / 1000).toFixed(1)} s`, todo }]
}

function failure(error: SluiceError | undefined, redact: (text: string) => string): Finding {
  const what = redact(error?.detail ?? 'it did not start')
  const todo = redact(error ? ERROR_CODES[error.code].todo : '')
  if (/was not found/.test(what)) return { kind: 'command not found', level: 'problem', what, todo }
  if (error?.code === 'UPSTREAM_LOGIN' || /authori[sz]ation|HTTP 40[13]/i.test(what))
    return { kind: 'needs login', level: 'problem', what, todo }
  return { kind: 'not reached', level: 'problem', what, todo }
}

function schemaFindings(context: SessionContext, upstream: Upstream): Finding[] {
  const repaired = repairsOf(context, upstream).map(({ tool, what, why }): Finding => {
    return {
      kind: 'bad schema',
      level: 'note',
      what: `${tool}: ${what}: ${why}`,
      todo: 'tell its maintainers; Sluice has mended it',
    }
  })
  const lost = leftOut(context, upstream).map((tool): Finding => {
    return {
      kind: 'left out',
      level: 'problem',
      what: `${tool} has a definition that nobody could use`,
      todo: 'tell its maintainers',
    }
  })
  return [...repaired, ...lost]
}

function nameFindings(context: SessionContext, upstream: Upstream): Finding[] {
  const renamed = renamedTools(context, upstream).map(({ tool, name }): Finding => {
    return { kind: 'renamed', level: 'note', what: `${tool} is called ${name}`, todo: '' }
  })
  const hidden = hiddenTools(context, upstream)
  if (hidden.length === 0) return renamed
  const names = hidden.slice(0, MOST_NAMES).join(', ')
  const more = hidden.length > MOST_NAMES ? ` and ${hidden.length - MOST_NAMES} more` : ''
  return [...renamed, { kind: 'hidden', level: 'note', what: `${names}${more}, by include or exclude of its entry`, todo: '' }]
}
