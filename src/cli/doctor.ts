/** `sluice doctor`: connects to every server side by side and says what is wrong, and what to do. */
import type { SessionContext } from '../gateway/session-context.js'
import { toolFacts } from '../gateway/tool-facts.js'
import type { ToolUseReport } from '../protocol/audit-api.js'
import type { Upstream } from '../upstream/upstream.js'
import { type DoctorReport, type Finding, renderDoctor, renderTool } from './doctor-report.js'
import { examineServer } from './examine-server.js'
import { examineTool } from './examine-tool.js'
import type { LocalSession } from './local-session.js'
import { tuningOf } from './tuning.js'

interface DoctorOptions {
  readonly session: LocalSession
  /** An exposed name, `server::tool`, or a server's own name of a tool: only this one is explained. */
  readonly tool: string | undefined
  /** Reads how tools were used, for suggestions; undefined: none are wanted. */
  readonly tune?: (() => Promise<ToolUseReport>) | undefined
  readonly json: boolean
  readonly write: (text: string) => void
  /** Shows which servers are still waited for; undefined: nobody looks. */
  readonly progress?: ((text: string) => void) | undefined
}

/** The exit code: 0 where all is well, 1 where there are problems, or where the tool cannot be called. */
export async function doctor({ session, tool, tune, json, write, progress }: DoctorOptions): Promise<number> {
  const { context } = session
  const startMs = await startAll(context, progress)
  await session.settled()
  if (tool !== undefined) {
    const report = await examineTool(context, tool)
    write(json ? `${JSON.stringify(report, null, 2)}\n` : renderTool(report))
    return report.state === 'listed' || report.state === 'deferred' ? 0 : 1
  }
  const report = await reportOf(context, startMs, await tune?.())
  write(json ? `${JSON.stringify(report, null, 2)}\n` : renderDoctor(report))
  return report.ok ? 0 : 1
}

// --- internal ---

/** Starts those that the cache knows too: that is what is to be seen. Milliseconds until each was ready. */
async function startAll({ upstreams, settings }: SessionContext, progress: DoctorOptions['progress']) {
  const startMs = new Map<Upstream, number>()
  const waiting = new Set(upstreams.all().map(({ server }) => server.name))
  const total = waiting.size
  const show = () => {
    progress?.(waiting.size === 0 ? '' : `${total - waiting.size} of ${total} servers; waiting for ${[...waiting].join(', ')}`)
  }
  const queue = upstreams.all().values()
  const inTurn = async () => {
    for (const upstream of queue) {
      const from = performance.now()
      await upstream.ready().then(
        () => startMs.set(upstream, Math.round(performance.now() - from)),
        () => undefined, // It keeps its last error, which is reported.
      )
      waiting.delete(upstream.server.name)
      show()
    }
  }
  show()
  await Promise.all(Array.from({ length: settings.startConcurrency }, inTurn))
  return startMs
}

async function reportOf(
  context: SessionContext,
  startMs: ReadonlyMap<Upstream, number>,
  use: ToolUseReport | undefined,
): Promise<DoctorReport> {
  const { config, upstreams, catalog } = context
  const tools = await toolFacts(context)
  const { toolTokens, unfitPins, unknownPins } = await catalog.describe()
  const servers = [
    ...upstreams.all().map((upstream) => examineServer(context, upstream, startMs.get(upstream))),
    ...config.disabled.map(({ name, reason }) =>
      absent(name, 'disabled', {
        kind: 'configuration',
        level: 'problem',
        what: config.redact(reason),
        todo: `mend the entry of ${name} in ${config.origin}`,
      }),
    ),
    ...config.switchedOff.map((name) =>
      absent(name, 'off', { kind: 'switched off', level: 'note', what: 'its entry says "disabled"', todo: '' }),
    ),
  ]
  const notes = config.notes.filter((note) => !note.endsWith(': switched off')) // it has a line of its own
  const general = [...notes.map(noteFinding(config.redact)), ...pinFindings(unfitPins, unknownPins)]
  const listed = tools.filter((tool) => tool.listed).length
  const all = [...general, ...servers.flatMap(({ findings }) => findings)]
  return {
    ok: all.every(({ level }) => level === 'note'),
    origin: config.origin,
    general,
    servers,
    catalog: { listed, deferred: tools.length - listed, listTokens: toolTokens },
    ...(use && { tuning: tuningOf({ use, tools, ...context.settings.catalog }) }),
  }
}

function absent(name: string, state: 'disabled' | 'off', finding: Finding): DoctorReport['servers'][number] {
  return { name, state, startMs: null, tools: 0, resources: 0, prompts: 0, findings: [finding] }
}

/** A key that looks misspelt has no effect, which nobody meant. */
function noteFinding(redact: (text: string) => string): (note: string) => Finding {
  return (note) => {
    const isMisspelt = note.includes('did you mean')
    const todo = isMisspelt ? 'correct the key' : ''
    return { kind: 'configuration', level: isMisspelt ? 'problem' : 'note', what: redact(note), todo }
  }
}

function pinFindings(unfit: readonly string[], unknown: readonly string[]): Finding[] {
  return [
    ...unknown.map((pin): Finding => {
      return { kind: 'pin', level: 'problem', what: `no tool is called ${pin}`, todo: 'correct it in pins, or take it out' }
    }),
    ...unfit.map((pin): Finding => {
      return {
        kind: 'pin',
        level: 'problem',
        what: `there is no room for ${pin}`,
        todo: 'raise contextBudget or maxTools, or pin less',
      }
    }),
  ]
}
