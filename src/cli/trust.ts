/** `sluice trust`: shows what the files of this folder would start, and remembers that this may be started. */
import { buildConfig, serverEntries } from '../config/build-config.js'
import { type FoundFile, findProjectFiles } from '../config/clients/discover.js'
import type { GatewayConfig } from '../config/config.js'
import type { Environment } from '../config/environment.js'
import { type ConfigFile, readProjectFile } from '../config/load-config.js'
import { isRecord } from '../config/option-schema.js'
import { rememberTrust } from '../config/trust.js'
import { describeEntry, visible } from './describe-entry.js'

type Write = (text: string) => void

/**
 * The exit code: 0; 1 where a client's file has a fault and is passed over; 2 where the folder has nothing to trust.
 * @throws what loadConfig throws for a sluice.json with a fault; nothing is trusted then
 */
export function trust(environment: Environment, write: Write): number {
  const own = readProjectFile(environment)
  const others = findProjectFiles(environment)
  if (own === undefined && others.length === 0) {
    write(`${visible(environment.cwd)} has no sluice.json and no client's file, so there is nothing to trust\n`)
    return 2
  }
  if (own !== undefined) trustOwn(own, environment, write)
  for (const other of others) trustClients(other, environment, write)
  return others.some(({ fault }) => fault !== undefined) ? 1 : 0
}

// --- internal ---

function trustOwn(file: ConfigFile, environment: Environment, write: Write): void {
  const config = buildConfig(file.document, { environment })
  const { entries } = serverEntries(file.document)
  remember(
    file,
    [...entries].map(([name, entry]) => `${visible(name)}: ${describeEntry(entry)}${stateOf(name, entry, config)}`),
    {
      environment,
      write,
    },
  )
}

/** Why a server would not be started now. */
function stateOf(name: string, entry: unknown, config: GatewayConfig): string {
  const fault = config.disabled.find((server) => server.name === name)
  if (!isRecord(entry)) return ''
  if (fault !== undefined) return ` (not now: ${visible(fault.reason)})`
  return config.servers.some((server) => server.name === name) ? '' : ' (switched off)'
}

function trustClients({ file, read, fault }: FoundFile, environment: Environment, write: Write): void {
  if (read === undefined) {
    write(`Passed over: ${visible(fault ?? file.path)}\n`)
    return
  }
  const lines = [...read.entries].map(([name, entry]) => `${visible(name)}: ${describeEntry(entry)}`)
  remember({ path: file.path, bytes: read.bytes }, lines, { environment, write })
}

function remember(
  file: Pick<ConfigFile, 'path' | 'bytes'>,
  lines: readonly string[],
  { environment, write }: { environment: Environment; write: Write },
): void {
  rememberTrust(file, environment.dataDir)
  const starts = lines.map((line) => `  ${line}\n`).join('')
  write(`${visible(file.path)} starts:\n${starts}Trusted as it is now; after a change it asks again.\n`)
}
