/** Ends the servers' processes if the gateway itself is killed and cannot: a small shell that outlives it by a moment. POSIX only. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Logger } from '../base/logger.js'

export interface Watchdog {
  /** The process group to end if the gateway dies. */
  watch(group: number): void
  /** The group has ended. */
  forget(group: number): void
  /** Lets the shell go. Groups that are still watched are ended by it. */
  stop(): void
}

/** One for the gateway's process. The shell is started with the first group, and never keeps the event loop alive. */
export function createWatchdog(logger: Logger): Watchdog {
  return process.platform === 'win32' ? NO_WATCHDOG : new ShellWatchdog(logger)
}

// --- internal ---

const NO_WATCHDOG: Watchdog = {
  watch: () => undefined,
  forget: () => undefined,
  stop: () => undefined,
}

class ShellWatchdog implements Watchdog {
  readonly #groups = new Set<number>()
  readonly #logger: Logger
  #shell: ChildProcess | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  watch(group: number): void {
    this.#groups.add(group)
    if (this.#shell) this.#tell(`+${group}\n`)
    else this.#start()
  }

  forget(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`-${group}\n`)
  }

  stop(): void {
    const shell = this.#shell
    this.#shell = undefined
    shell?.stdin?.end()
  }

  /** In a session of its own, so that a signal to the gateway's group does not take it first. */
  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sluice-watchdog'], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
    })
    this.#shell = shell
    shell.unref()
    const { stdin } = shell
    if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
    const lost = (why: string) => {
      if (this.#shell !== shell) return
      this.#shell = undefined
      this.#logger.warn('watchdog_lost', { why })
    }
    shell.once('error', (error) => lost(error.message))
    shell.once('exit', () => lost('it ended'))
    stdin.on('error', (error) => lost(error.message))
    for (const group of this.#groups) this.#tell(`+${group}\n`)
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(line)
  }
}

/**
 * Reads `+GROUP` and `-GROUP`. At the end of its input it sends TERM, and two seconds later KILL, to what is left of the groups, of the
 * sessions of the same number, and of their descendants. `seen` (pid:start) keeps those in sight whose parents die in between.
 */
const SCRIPT = `
trap '' HUP INT TERM
groups=' '
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) kept=' '
        for g in $groups; do [ "$g" = "\${line#-}" ] || kept="$kept$g "; done
        groups=$kept ;;
  esac
done
[ "$groups" = ' ' ] && exit 0

table() {
  if [ -r /proc/self/stat ]; then
    for f in /proc/[0-9]*/stat; do
      read -r line < "$f" || continue
      pid=\${f#/proc/}
      set -- \${line##*') '}
      [ "$1" = Z ] || echo "\${pid%/stat} $2 $3 $4 \${20}"
    done
  else
    ps -A -o pid=,ppid=,pgid= | while read -r pid ppid pgid; do echo "$pid $ppid $pgid $pgid 0"; done
  fi
}

seen=' '
family() {
  all=$(table)
  found=' '
  grown=1
  while [ -n "$grown" ]; do
    grown=
    while read -r pid ppid group session start; do
      case $found in *" $pid:"*) continue ;; esac
      case $groups in *" $group "*|*" $session "*) found="$found$pid:$start "; grown=1; continue ;; esac
      case $found in *" $ppid:"*) found="$found$pid:$start "; grown=1; continue ;; esac
      case $seen in *" $pid:$start "*) found="$found$pid:$start "; grown=1 ;; esac
    done <<END
$all
END
  done
  seen=$found
}
signal() {
  for p in $seen; do kill -s "$1" "\${p%%:*}"; done
}

family
signal TERM
for i in 1 2; do
  [ "$seen" = ' ' ] && exit 0
  sleep 1
  family
done
signal KILL
`
