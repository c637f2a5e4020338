/** A tool call's way to the tool's owner, under the tool's own name. */
import picomatch from 'picomatch'
import { bareName, type NameOwner } from '../../catalog/names.js'
import { parseJson } from '../../protocol/frame.js'
import { findMember, textOf } from '../../protocol/json-spans.js'
import { asRecord, RPC } from '../../protocol/messages.js'
import type { Upstream } from '../../upstream/upstream.js'
import type { Call } from '../call.js'
import type { Candidate } from '../context-index.js'
import type { ParamEdit } from '../relay-frame.js'
import { RpcError } from '../rpc-error.js'
import { noteTask } from '../running-tasks.js'
import { withSchemaHelp } from '../schema-help.js'
import type { Answer, RelayOptions, SessionContext } from '../session-context.js'
import { awaitOwner } from './await-owner.js'
import { proxiedServer } from './proxied-server.js'
import { excluded, excludedOwner, unknownTool } from './unknown-tool.js'

export interface NamedCall {
  /** The exposed name. */
  readonly name: string
  /** JSON text of the arguments, where they are not the call's own: it came by the calling tool. */
  readonly argumentsJson?: string | undefined
}

export function relayTool(context: SessionContext, call: Call, named: NamedCall): Answer | Promise<Answer> {
  context.settleNames()
  const owner = context.tools.resolve(named.name)
  return owner
    ? relayTo(context, call, { name: named.name, argumentsJson: named.argumentsJson, owner })
    : relayWhenKnown(context, call, named)
}

/** What an indexed result of this tool is called and when it is indexed. */
export function toolCandidate(context: SessionContext, owner: NameOwner, exposed: string): Candidate | undefined {
  const upstream = context.upstreams.byAlias(owner.alias)
  if (!context.settings.responses.enabled || !upstream) return undefined
  const own = upstream.server.responseThreshold.find(({ glob }) => picomatch.isMatch(owner.name, glob))
  return {
    kind: 'tool',
    labelBase: exposed,
    thresholdBytes: own?.bytes ?? context.settings.responses.thresholdBytes,
    maxChars: upstream.server.diet?.maxChars,
  }
}

// --- internal ---

interface OwnedCall extends NamedCall {
  readonly owner: NameOwner
}

function relayTo(context: SessionContext, call: Call, owned: OwnedCall): Answer {
  const { owner, name, argumentsJson } = owned
  const upstream = context.upstreams.byAlias(owner.alias)
  if (!upstream) throw new RpcError(RPC.internalError, `the server of ${name} is gone`)
  if (!context.filters.allows(upstream.server, owner.name)) return excluded(upstream, owner.name)
  call.tool = owner.name
  context.catalog.called(upstream, owner.name, name)
  const candidate = toolCandidate(context, owner, name)
  const { diet } = upstream.server
  // Written out: optional members by spreading made every small call 1.4 times as slow.
  const rename: ParamEdit = { path: NAME, value: owner.name }
  const options: RelayOptions =
    argumentsJson === undefined && !context.catalog.hides(name)
      ? { params: [rename], candidate, diet }
      : {
          params: argumentsJson === undefined ? [rename] : [rename, { path: ['arguments'], json: argumentsJson }],
          candidate,
          diet,
          amend: (frame) => withSchemaHelp(frame, schemaHelp(context, upstream, owned)),
        }
  if (!call.params['task']) return context.relay(call, upstream, options)
  return context.relay(call, upstream, {
    ...options,
    observe: (frame) => {
      const result = asRecord(asRecord(frame && parseJson(frame))?.['result'])
      noteTask(upstream, context.holder, result?.['task'])
      const taskId = asRecord(result?.['task'])?.['taskId']
      if (typeof taskId === 'string') context.keepTask(call, { upstream, id: taskId, candidate })
    },
  })
}

async function relayWhenKnown(context: SessionContext, call: Call, named: NamedCall): Promise<Answer> {
  const server = await awaitOwner(context, call, named.name)
  const owner = context.tools.resolve(named.name)
  if (owner) return relayTo(context, call, { ...named, owner })
  const { name } = named
  const hidden = excludedOwner(context, name, server)
  if (hidden) return excluded(hidden.upstream, hidden.tool)
  const only = proxiedServer(context)
  if (!only) return unknownTool(context, name, server)
  return relayTo(context, call, { ...named, name: bareName(name), owner: { alias: only.server.alias, name } })
}

const NAME = ['name']
/** A schema above this many characters is pointed to. */
const MAX_SHOWN_SCHEMA = 8_000

/** The tool's arguments as its list entry has them; with stubs, or too long for an error, where to read them. */
function schemaHelp(context: SessionContext, upstream: Upstream, { name, owner }: OwnedCall): string {
  const found = context.catalog.findTool(name)?.entry
  // A server that has only just landed is not made ready yet.
  const json = found?.json ?? upstream.list('tools').find(({ key }) => key === owner.name)?.json
  const { readTool, catalog } = context.settings
  const bytes = Buffer.from(json ?? '{}', 'utf8')
  const schema = findMember(bytes, 0, 'inputSchema')
  const text = schema ? textOf(bytes, schema) : '{}'
  if (found && (catalog.disclosure || text.length > MAX_SHOWN_SCHEMA)) {
    return `Read the parameters of ${name}: ${readTool}(label=${JSON.stringify(found.label)})`
  }
  return text.length > MAX_SHOWN_SCHEMA ? `Read the parameters of ${name} in tools/list.` : `Parameters of ${name}: ${text}`
}
