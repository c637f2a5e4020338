/** Whether an entry is Sluice itself: a gateway that found itself among its servers would start itself without end. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isRecord } from '../option-schema.js'

export const PACKAGE = 'mcp-sluice'

/** @param entry as it stands in a client's file */
export function isSluice(entry: unknown): boolean {
  if (!isRecord(entry)) return false
  const { command, args } = entry
  const own = isRecord(command) ? [command['path'], command['args']] : [command, args]
  const [program, words] = [own[0], Array.isArray(own[1]) ? own[1] : []]
  if (typeof program !== 'string') return [entry['url'], entry['serverUrl'], entry['httpUrl']].some(isOwnUrl)
  return isOwnProgram(program) || words.some((word) => typeof word === 'string' && isOwnWord(word, program))
}

// --- internal ---

/** Programs that start what their arguments name. */
const STARTERS = /^(?:npx|bunx|pnpx|pnpm|yarn|npm|env|sh|bash|zsh|cmd)$/

function baseName(program: string): string {
  return (program.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:cmd|exe|ps1|bat)$/i, '').toLowerCase()
}

function isOwnProgram(program: string): boolean {
  const base = baseName(program)
  return base === 'sluice' || base === PACKAGE || isOwnScript(program)
}

function isOwnWord(word: string, program: string): boolean {
  if (isOwnScript(word)) return true
  if (!STARTERS.test(baseName(program))) return false
  return word.split(/\s+/).some((part) => new RegExp(`^(?:${PACKAGE})(?:@[\\w.^~-]+)?$`).test(part) || isOwnProgram(part))
}

/** `…/dist/src/cli.js` of this package, wherever it is installed. */
function isOwnScript(word: string): boolean {
  if (!/[\\/]cli\.js$/.test(word)) return false
  if (/[\\/]mcp-sluice[\\/]dist[\\/]src[\\/]cli\.js$/.test(word)) return true
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.resolve(word, '../../../package.json'), 'utf8'))
    return isRecord(manifest) && manifest['name'] === PACKAGE
  } catch {
    return false // It is no package's, or is not there.
  }
}

/** Where `sluice serve` listens. */
function isOwnUrl(url: unknown): boolean {
  return typeof url === 'string' && /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):7411\/mcp\/?$/i.test(url)
}
