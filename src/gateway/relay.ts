/** A client's request on its way to an upstream and its answer on the way back: ids exchanged, large answers through the index. */
import { asSluiceError, SluiceError } from '../base/errors.js'
import type { UriTable } from '../catalog/uris.js'
import { asBuffer, errorFrame, idSpanOf, LARGE_FRAME, withId } from '../protocol/frame.js'
import { findMember } from '../protocol/json-spans.js'
import type { Upstream } from '../upstream/upstream.js'
import type { Call, CallTable } from './call.js'
import type { CallAudit } from './call-audit.js'
import { ContextIndex } from './context-index.js'
import type { OutputDiet, RawAnswer } from './output-diet.js'
import { withOutwardElicitations } from './outward-elicitation-ids.js'
import type { OutwardIds } from './outward-ids.js'
import { withOutwardTaskIds } from './outward-task-ids.js'
import { withOutwardUris } from './outward-uris.js'
import type { ClientPort } from './port.js'
import { anotherRequest, upstreamRequest } from './relay-frame.js'
import { rpcErrorBody } from './rpc-error.js'
import type { RelayOptions } from './session-context.js'
import type { TaskTable } from './task-table.js'

interface RelayDeps {
  readonly port: ClientPort
  readonly calls: CallTable
  readonly audit: CallAudit | undefined
  readonly index: () => ContextIndex | undefined
  readonly diet: OutputDiet
  readonly uris: UriTable
  readonly tasks: TaskTable
  readonly elicitations: OutwardIds
  readonly settleNames: () => void
  readonly redact: (text: string) => string
}

export class Relay {
  readonly #deps: RelayDeps

  constructor(deps: RelayDeps) {
    this.#deps = deps
  }

  /** Sends the call on as soon as the upstream is ready. Every failure becomes the call's answer. */
  send(call: Call, upstream: Upstream, options: RelayOptions): undefined {
    call.owner = upstream
    if (upstream.state === 'ready') {
      this.#dispatch(call, upstream, options)
      return
    }
    upstream.ready(call.signal).then(
      () => this.#dispatch(call, upstream, options),
      (error: unknown) => this.#failed(call, options, error),
    )
  }

  /** The final answer, with the client's id in it. */
  answer(call: Call, frame: Uint8Array): void {
    if (call.over) return
    call.over = true
    this.#deps.calls.remove(call)
    this.#deps.port.answer(call.key, frame)
    this.#deps.audit?.ended(call, frame)
  }

  fail(call: Call, thrown: unknown): void {
    this.answer(call, errorFrame(call.idJson, rpcErrorBody(thrown, this.#deps.redact)))
  }

  // --- internal ---

  #dispatch(call: Call, upstream: Upstream, options: RelayOptions): void {
    if (call.over) return
    const id = upstream.request((ownId) => requestOf(call, options, ownId), {
      answer: (frame, idSpan) => {
        if (!call.over) options.observe?.(frame)
        call.receivedBytes = frame.length
        this.#answered(call, options, reshaped(options, this.#outward(upstream, { frame, idSpan })))
      },
      fail: (error) => this.#failed(call, options, error),
    })
    this.#deps.calls.relayed(call, upstream, id)
  }

  #failed(call: Call, options: RelayOptions, error: unknown): void {
    options.observe?.(undefined)
    if (options.otherwise) options.otherwise()
    else this.fail(call, error)
  }

  /** Only a server some of whose URIs or tasks the client knows under another name needs its answers looked through. */
  #outward({ server }: Upstream, answer: RawAnswer): RawAnswer {
    const { uris, tasks, elicitations, settleNames } = this.#deps
    const { alias } = server
    settleNames()
    let { frame } = answer
    if (uris.hasMapped(alias) || mayNameUris(frame)) frame = withOutwardUris(frame, (uri) => uris.adopt(alias, uri))
    if (tasks.hasMapped(alias)) frame = withOutwardTaskIds(frame, (id) => tasks.outward(alias, id))
    frame = withOutwardElicitations(frame, (id) => elicitations.expose(alias, id))
    return frame === answer.frame ? answer : { frame, idSpan: idSpanOf(frame) ?? answer.idSpan }
  }

  #answered(call: Call, options: RelayOptions, answer: RawAnswer): void {
    if (call.over) return
    if (options.otherwise && findMember(answer.frame, 0, 'error')) {
      options.otherwise()
      return
    }
    const { diet, candidate } = options
    const slim = diet ? this.#deps.diet.apply(answer, diet, candidate === undefined) : answer
    if (slim instanceof Promise) {
      slim.then(
        (own) => call.over || this.#settled(call, options, own),
        (error: unknown) => this.fail(call, lostAnswer(call, error)),
      )
    } else this.#settled(call, options, slim)
  }

  #settled(call: Call, options: RelayOptions, { frame, idSpan }: RawAnswer): void {
    const index = this.#deps.index()
    if (!index || !ContextIndex.concerns(frame, options.candidate)) {
      call.received = frame
      this.answer(call, amended(options, withId(frame, idSpan, call.idJson)))
      return
    }
    index.ingest(call, frame, options.candidate).then(
      (own) => this.answer(call, amended(options, own)),
      (error: unknown) => this.fail(call, lostAnswer(call, error)),
    )
  }
}

// --- internal ---

function requestOf(call: Call, { request, params }: RelayOptions, id: number): Buffer {
  return request ? anotherRequest(request, id) : upstreamRequest(call.incoming.frame, { id, params })
}

function reshaped({ reshape }: RelayOptions, answer: RawAnswer): RawAnswer {
  const frame = reshape ? reshape(answer.frame) : answer.frame
  return frame === answer.frame ? answer : { frame, idSpan: idSpanOf(frame) ?? answer.idSpan }
}

function amended({ amend }: RelayOptions, frame: Uint8Array): Uint8Array {
  return amend ? amend(frame) : frame
}

/** The answer came and cannot be passed on: it is broken, or the thread that worked on it died with it. */
function lostAnswer(call: Call, thrown: unknown): unknown {
  const error = asSluiceError(thrown)
  const server = `server "${call.upstream?.server.name}"`
  if (error.code === 'UPSTREAM_PROTOCOL') return new SluiceError(error.code, `${server}: ${error.detail}`, { cause: thrown })
  if (error.code !== 'ACTOR_DIED' && error.code !== 'MAILBOX_FULL') return thrown
  const detail = `${server}: the answer came but was lost while it was being worked on: ${error.detail}`
  return new SluiceError(error.code, detail, { cause: thrown })
}

const URI_KEY = Buffer.from('"uri"')

/** A large answer is not looked through for what it may link to: its text is what makes it large. */
function mayNameUris(frame: Uint8Array): boolean {
  return frame.length <= LARGE_FRAME && asBuffer(frame).includes(URI_KEY)
}
