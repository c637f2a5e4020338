/** Shows a page in the person's browser, where there is one. */
import { spawn } from 'node:child_process'

/** Says nothing where that fails: the address has been printed. @param page http or https */
export function openBrowser(page: URL, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] = OPENERS.get(platform) ?? ['xdg-open']
  const child = spawn(command ?? '', [...args, page.href], { stdio: 'ignore', detached: true })
  child.once('error', () => child.unref())
  child.unref()
}

// --- internal ---

/** No shell reads the address, so nothing in it can be a command. */
const OPENERS: ReadonlyMap<NodeJS.Platform, readonly string[]> = new Map<NodeJS.Platform, readonly string[]>([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
])
