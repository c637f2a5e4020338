#!/usr/bin/env node
/** The command `sluice`: picks the command, and is the only file that ends the process. */
import { asSluiceError, SluiceError } from './base/errors.js'
import { packageFacts } from './base/version.js'
import { parseFlags } from './cli/flags.js'
import { renderHelp } from './cli/help.js'
import { runCommand } from './cli/run-command.js'
import { readEnvironment } from './config/environment.js'

const USAGE_EXIT = 2

async function main(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2))
  if (parsed.flags.help) return print(renderHelp(parsed.command))
  if (parsed.flags.version) return print(packageFacts().version)
  return runCommand(parsed, readEnvironment())
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

/** What went wrong and what to do, never a stack trace; that of a fault of our own is in the log at debug level. */
function explain(thrown: unknown): number {
  const error = asSluiceError(thrown)
  process.stderr.write(`sluice: ${thrown instanceof SluiceError ? error.advice : `a fault of Sluice: ${error.detail}`}\n`)
  return thrown instanceof SluiceError ? USAGE_EXIT : 1
}

process.exitCode = await main().catch(explain)
// Whatever still holds the loop open now (a socket of a server that does not let go) must not keep the process.
process.exit()
