/** The settings that hold for one client. */
import picomatch from 'picomatch'
import type { GatewayConfig, Settings } from './config.js'

/** @param client `clientInfo.name`; the first glob under `clients` that fits it counts, whatever its case */
export function settingsFor({ settings, clients }: GatewayConfig, client: string): Settings {
  return clients.find(({ glob }) => picomatch.isMatch(client, glob, { nocase: true }))?.settings ?? settings
}
