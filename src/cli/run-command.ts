/** The table of commands: what each does, given its flags and the environment. */
import { SluiceError } from '../base/errors.js'
import { packageRoot } from '../base/version.js'
import type { Environment } from '../config/environment.js'
import { loadConfig } from '../config/load-config.js'
import { audit } from './audit.js'
import { call, checkArguments } from './call.js'
import { playDemo } from './demo.js'
import { createDemoStack } from './demo-stack.js'
import { docs } from './docs.js'
import { doctor } from './doctor.js'
import type { Flags } from './flags.js'
import { type LocalSession, openLocalSession } from './local-session.js'
import { login, logout } from './login.js'
import { model } from './model.js'
import { readToolUse } from './read-tool-use.js'
import { runHttpGateway, runStdioGateway } from './run-gateway.js'
import { stats } from './stats.js'
import { token } from './token.js'
import { tools } from './tools.js'
import { trust } from './trust.js'

type Run = (flags: Flags, environment: Environment) => Promise<number> | number

const RUNS: ReadonlyMap<string | undefined, Run> = new Map<string | undefined, Run>([
  [undefined, (flags, environment) => runStdioGateway({ config: load(flags, environment), environment, flags: flags.flags })],
  ['serve', (flags, environment) => runHttpGateway({ config: load(flags, environment), environment, flags: flags.flags })],
  ['demo', demo],
  ['start', start],
  ['login', (flags, environment) => login(loginRun(flags, environment))],
  ['logout', (flags, environment) => logout(loginRun(flags, environment))],
  ['token', ({ args }, { dataDir }) => token({ args, dataDir, write: print })],
  ['init', async (flags, environment) => (await import('./start-init.js')).startInit(flags.flags, environment)],
  [
    'config',
    async ({ args, flags }, environment) => {
      const { config } = await import('./config.js')
      return config(args, flags, { environment, write: print })
    },
  ],
  ['tools', ask(({ args: [query], flags: { json = false } }, session) => tools({ session, query, json, write: print }))],
  ['call', callTool],
  [
    'doctor',
    ask(
      ({ flags: { tool, tune, json = false } }, session, { dataDir }) =>
        doctor({
          session,
          tool,
          tune: tune ? () => readToolUse(dataDir) : undefined,
          json,
          write: print,
          progress: progress(),
        }),
      true,
    ),
  ],
  ['stats', ({ flags }, { dataDir }) => stats({ dataDir, json: flags.json ?? false, write: print })],
  [
    'audit',
    ({ flags: { json = false, gap, model, prices } }, { dataDir }) =>
      audit({ dataDir, json, gap, model, prices, write: print }),
  ],
  ['trust', (_, environment) => trust(environment, print)],
  ['model', ({ args }, environment) => model({ args, environment, write: print, draw: progress() })],
  ['docs', ({ flags }) => docs({ check: flags.check ?? false, write: print })],
])

/** The exit code. */
export async function runCommand(flags: Flags, environment: Environment): Promise<number> {
  const run = RUNS.get(flags.command)
  if (!run) throw new SluiceError('USAGE', `${flags.command} is not a command`)
  return run(flags, environment)
}

// --- internal ---

function load({ flags, settings }: Flags, environment: Environment) {
  return loadConfig({ environment, path: flags.config, flags: settings })
}

function loginRun(flags: Flags, environment: Environment) {
  const [server = ''] = flags.args
  return { server, config: load(flags, environment), dataDir: environment.dataDir, flags: flags.flags, write: print }
}

/** A command that asks a gateway in this process. */
function ask(run: (flags: Flags, session: LocalSession, environment: Environment) => Promise<number>, atOnce = false): Run {
  return async (flags, environment) => {
    const session = await openLocalSession({ config: load(flags, environment), environment, flags: flags.flags, atOnce })
    return run(flags, session, environment).finally(() => session.close())
  }
}

function callTool(flags: Flags, environment: Environment): Promise<number> | number {
  const [tool = '', argumentsJson] = flags.args
  checkArguments(argumentsJson)
  const json = flags.flags.json ?? false
  return ask((_, session) => call({ session, tool, argumentsJson, json, write: print }))(flags, environment)
}

/** Serves the configuration where there is one; with none anywhere, shows the demo. */
async function start(flags: Flags, environment: Environment): Promise<number> {
  try {
    const config = load(flags, environment)
    if (flags.flags.once)
      throw new SluiceError('USAGE', `--once ends the demo, but ${config.origin} is to be served; leave it out`)
    return await runHttpGateway({ config, environment, flags: flags.flags })
  } catch (error) {
    if (!(error instanceof SluiceError) || error.code !== 'CONFIG_NONE') throw error
    return demo(flags, environment)
  }
}

async function demo(flags: Flags, environment: Environment): Promise<number> {
  const stack = createDemoStack(packageRoot())
  try {
    print('Sluice in front of three real MCP servers: everything, filesystem, memory.\n')
    await playDemo(stack, print)
    if (flags.flags.once) return 0
    const config = loadConfig({ environment, path: stack.configPath, flags: flags.settings })
    return await runHttpGateway({
      config,
      environment: { ...environment, dataDir: stack.dataDir },
      flags: flags.flags,
      announce: (text) => print(`\nThe same stack is being served now; Ctrl-C ends it.\n${text}`),
    })
  } finally {
    stack.remove()
  }
}

/** One line on stderr that is written over, where a person looks on. */
function progress(): ((text: string) => void) | undefined {
  return process.stderr.isTTY ? (text) => process.stderr.write(`\r\x1b[K${text}`) : undefined
}

function print(text: string): void {
  process.stdout.write(text)
}
