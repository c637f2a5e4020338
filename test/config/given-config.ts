/** Configurations from values, for the tests of what is read out of them. */
import type { SluiceError } from '../../src/base/errors.js'
import { buildConfig } from '../../src/config/build-config.js'
import type { GatewayConfig } from '../../src/config/config.js'
import { parseDocument } from '../../src/config/document.js'
import { environmentOf } from '../../src/config/environment.js'
import { thrownBy } from '../support/environment.js'

export const ECHO = { mcpServers: { echo: { command: 'echo' } } }

interface Given {
  readonly variables?: Record<string, string>
  readonly flags?: ReadonlyMap<string, unknown>
}

export function load(content: unknown, { variables = {}, flags }: Given = {}): GatewayConfig {
  const environment = environmentOf({ variables, cwd: '/work', home: '/home/me', platform: 'linux' })
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return buildConfig(parseDocument('given.json', Buffer.from(text)), { environment, flags })
}

export function failure(content: unknown): SluiceError {
  return thrownBy<SluiceError>(() => load(content))
}
