/** The methods that the gateway answers or rewrites; every other request follows its owner. */
import { completion } from './handlers/completion.js'
import { followOwner } from './handlers/follow-owner.js'
import { initialize, ping } from './handlers/lifecycle.js'
import { listPrompts, listResources, listResourceTemplates, listTools } from './handlers/lists.js'
import { setLevel } from './handlers/logging.js'
import { getPrompt } from './handlers/prompts.js'
import { readResource, subscribe, unsubscribe } from './handlers/resources.js'
import { listTasks, taskResult, taskVerb } from './handlers/tasks.js'
import { callTool } from './handlers/tools.js'
import type { Handler } from './session-context.js'

const METHODS: ReadonlyMap<string, Handler> = new Map([
  ['initialize', initialize],
  ['ping', ping],
  ['tools/list', listTools],
  ['tools/call', callTool],
  ['resources/list', listResources],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', completion],
  ['logging/setLevel', setLevel],
  ['tasks/list', listTasks],
  ['tasks/get', taskVerb],
  ['tasks/cancel', taskVerb],
  ['tasks/result', taskResult],
])

/** Methods that may come before `initialize`. */
export const ALWAYS_ALLOWED: ReadonlySet<string> = new Set(['initialize', 'ping'])

export function handlerOf(method: string): Handler {
  return METHODS.get(method) ?? followOwner
}
