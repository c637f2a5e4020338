import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, failure, fixture, lives, stdioWire, toolNames, until, upstreamFactory, wayward } from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-upstream-'))
})

afterEach(async () => {
  await stopAll()
  rmSync(folder, { recursive: true })
})

describe('start', () => {
  it('connects, initialises, reads all pages of all lists, and answers', async () => {
    const { upstream, listener } = supervise(wayward(['--pages', '3']))
    expect(upstream.state).toBe('idle')
    await Promise.all([upstream.ready(), upstream.ready()])
    expect(listener.states).toEqual(['starting', 'ready'])
    expect(upstream.facts).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'wayward' },
      instructions: 'be kind',
    })
    expect(toolNames(upstream)).toEqual(['echo', 'constructor', 'page1', 'page2'])
    expect(upstream.list('tools')[1]?.json).toBe('{"name":"constructor","inputSchema":{"type":"object"}}')
    expect(upstream.list('resources')).toEqual([{ key: 'test://a', json: '{"uri":"test://a","name":"a"}' }])
    expect(upstream.list('resourceTemplates')).toEqual([])
    expect(listener.lists.sort()).toEqual(['resourceTemplates', 'resources', 'tools'])
    expect((await ask(upstream, 'test/echo', { a: 1 })).result).toEqual({ a: 1 })
  })

  it('names a command that is missing, and says what to do', async () => {
    const { upstream } = supervise(wayward([], { name: 'gone', wire: stdioWire('no-such-command-of-ours', []) }))
    const error = await failure(upstream.ready())
    expect(error.code).toBe('UPSTREAM_SPAWN')
    expect(error.detail).toBe(
      'server "gone" could not be started: command "no-such-command-of-ours" was not found; install it, or give its full path',
    )
    await upstream.firstAttempt
    expect(upstream.state).toBe('down')
    expect(upstream.lastError).toBe(error)
  })

  it('names a folder that is missing', async () => {
    const { upstream } = supervise(wayward([], { wire: stdioWire('node', [], { cwd: '/no/such/folder' }) }))
    expect((await failure(upstream.ready())).detail).toContain('its folder (cwd) "/no/such/folder" does not exist')
  })

  it('tells the exit code and the last words of a server that crashes at start', async () => {
    const { upstream } = supervise(wayward(['--crash-at-start', '1']))
    const error = await failure(upstream.ready())
    expect(error.code).toBe('UPSTREAM_EXITED')
    expect(error.detail).toBe(
      'server "wayward" exited with code 1 while starting; it last wrote: Error: cannot find the database',
    )
  })

  it('fails when the server dies while its lists are read', async () => {
    const { upstream } = supervise(wayward(['--crash-in-list']))
    expect((await failure(upstream.ready())).detail).toContain('exited with code 4')
    expect(upstream.state).toBe('down')
  })

  it('takes secrets out of errors', async () => {
    const redact = (text: string) => text.replaceAll('database', '***')
    const { upstream } = supervise(wayward(['--crash-at-start', '1']), { redact })
    expect((await failure(upstream.ready())).detail).toContain('cannot find the ***')
  })

  it('gives up on a server that is slower than its connectTimeout, and ends its process', async () => {
    const pidFile = join(folder, 'pids')
    const args = ['--start-delay', '60000', '--pid-file', pidFile]
    const { upstream } = supervise(wayward(args, { connectTimeoutMs: 700 }), { backoff: { firstMs: 60_000 } })
    const error = await failure(upstream.ready())
    expect(error.code).toBe('UPSTREAM_START_TIMEOUT')
    expect(error.detail).toBe('server "wayward" did not start within 700 ms (connectTimeout)')
    const [pid] = JSON.parse(readFileSync(pidFile, 'utf8')) as [number]
    await until(() => !lives(pid))
  })

  it('takes a list that is late as a change', async () => {
    const { upstream, listener } = supervise(wayward(['--list-delay', '2000'], { connectTimeoutMs: 1500 }))
    await upstream.ready()
    expect(toolNames(upstream)).toEqual([])
    await until(() => listener.lists.includes('tools'))
    expect(toolNames(upstream)).toEqual(['echo', 'constructor'])
  })

  it('refuses a revision that it does not know, naming it', async () => {
    const { upstream } = supervise(wayward(['--version', '1999-01-01']))
    const error = await failure(upstream.ready())
    expect(error.code).toBe('UPSTREAM_PROTOCOL')
    expect(error.detail).toContain('server "wayward" speaks the MCP revision "1999-01-01"')
  })

  it('passes over garbage on stdout and a flood on stderr', async () => {
    const { upstream } = supervise(wayward(['--garbage', '--stderr-mb', '50']))
    await upstream.ready()
    expect((await ask(upstream, 'test/echo', { fine: true })).result).toEqual({ fine: true })
  })

  it('is ready without a list that fails', async () => {
    const { upstream } = supervise(wayward(['--tools-fail']))
    await upstream.ready()
    expect(toolNames(upstream)).toEqual([])
    expect(upstream.list('resources')).toHaveLength(1)
  })

  it.each([
    ['same', 2],
    ['empty', 0],
    ['endless', 10_000],
  ])('stops reading pages when the cursor is of the kind "%s"', async (cursor, count) => {
    const { upstream } = supervise(wayward(['--cursor', cursor]))
    await upstream.ready()
    expect(upstream.list('tools')).toHaveLength(count)
  })

  it('lets a waiting caller go when its signal fires, and goes on starting', async () => {
    const { upstream } = supervise(wayward(['--start-delay', '500']))
    const controller = new AbortController()
    const waiting = upstream.ready(controller.signal)
    controller.abort()
    expect((await failure(waiting)).code).toBe('ABORTED')
    await upstream.ready()
    expect(upstream.state).toBe('ready')
  })
})

describe('failure', () => {
  it('fails what is in flight at once, restarts, and keeps facts and lists meanwhile', async () => {
    const { upstream, listener } = supervise(wayward())
    await upstream.ready()
    const inFlight = failure(ask(upstream, 'test/hang'))
    void failure(ask(upstream, 'test/exit', { code: 7 }))
    const error = await inFlight
    expect(error.code).toBe('UPSTREAM_EXITED')
    expect(error.detail).toBe('server "wayward" exited with code 7; it last wrote: last words')
    expect(toolNames(upstream)).toEqual(['echo', 'constructor'])
    expect(upstream.facts?.instructions).toBe('be kind')
    const before = listener.lists.length
    await until(() => upstream.state === 'ready')
    expect(upstream.restarts).toBe(1)
    expect(listener.lists).toHaveLength(before)
    expect((await ask(upstream, 'test/echo', {})).result).toEqual({})
  })

  it('names the signal that killed it in mid-call', async () => {
    const pidFile = join(folder, 'pids')
    const { upstream } = supervise(wayward(['--pid-file', pidFile]))
    await upstream.ready()
    const inFlight = failure(ask(upstream, 'test/hang'))
    process.kill((JSON.parse(readFileSync(pidFile, 'utf8')) as [number])[0], 'SIGKILL')
    expect((await inFlight).detail).toBe('server "wayward" was killed by SIGKILL')
  })

  it('fails a request at once while it is down, and tries at once when somebody waits for it', async () => {
    const args = ['--crash-once', join(folder, 'crashed')]
    const { upstream } = supervise(wayward(args), { backoff: { firstMs: 60_000 } })
    await failure(upstream.ready())
    expect((await failure(ask(upstream, 'test/echo'))).code).toBe('UPSTREAM_EXITED')
    await upstream.ready()
    expect(upstream.state).toBe('ready')
    expect(upstream.restarts).toBe(1)
  })

  it('delivers what is still in the pipe before it tells of the exit', async () => {
    const { upstream } = supervise(wayward())
    await upstream.ready()
    const answer = await ask<{ text: string }>(upstream, 'test/answerAndExit', { bytes: 3 << 20 })
    expect(answer.result.text).toHaveLength(3 << 20)
  })

  it('ends a server that closes its output or input and stays', async () => {
    const { upstream } = supervise(wayward())
    await upstream.ready()
    expect((await failure(ask(upstream, 'test/closeOutput'))).detail).toBe('server "wayward" closed its output')
    await upstream.ready()
    await ask(upstream, 'test/closeInput')
    expect((await failure(ask(upstream, 'test/hang'))).detail).toBe('server "wayward" closed its input')
  })

  it('does not wait for ever for a grandchild that holds the pipe', async () => {
    const pidFile = join(folder, 'pids')
    const { upstream } = supervise(wayward(['--grandchild', 'setsid', '--pid-file', pidFile]))
    await upstream.ready()
    const [, grandchild] = JSON.parse(readFileSync(pidFile, 'utf8')) as [number, number]
    expect((await failure(ask(upstream, 'test/exit', { code: 2 }))).detail).toContain('exited with code 2')
    process.kill(grandchild, 'SIGKILL')
  })
})

describe('stop', () => {
  it('stops a server that is unused, keeps what it knows, and starts it for the next caller', async () => {
    const { upstream, listener } = supervise(wayward([], { idleTimeoutMs: 200 }))
    await upstream.ready()
    await until(() => upstream.state === 'idle')
    expect(toolNames(upstream)).toEqual(['echo', 'constructor'])
    await upstream.ready()
    expect((await ask(upstream, 'test/echo', {})).result).toEqual({})
    expect(upstream.restarts).toBe(0)
    expect(listener.states.slice(0, 5)).toEqual(['starting', 'ready', 'idle', 'starting', 'ready'])
  })

  it.each(['plain', 'setsid'])('ends a stubborn server and its grandchild (%s)', async (grandchild) => {
    const pidFile = join(folder, 'pids')
    const { upstream } = supervise(wayward(['--stubborn', '--grandchild', grandchild, '--pid-file', pidFile]))
    await upstream.ready()
    const pids = JSON.parse(readFileSync(pidFile, 'utf8')) as number[]
    expect(pids).toHaveLength(2)
    await Promise.all([upstream.stop(), upstream.stop()])
    expect(pids.filter(lives)).toEqual([])
    expect((await failure(upstream.ready())).code).toBe('UPSTREAM_STOPPED')
    expect((await failure(ask(upstream, 'test/echo'))).code).toBe('UPSTREAM_STOPPED')
  })

  it('ends the first attempt and who waits for it', async () => {
    const { upstream } = supervise(wayward(['--start-delay', '60000']))
    const waiting = failure(upstream.ready())
    await upstream.stop()
    expect((await waiting).detail).toBe('server "wayward" was stopped')
    await upstream.firstAttempt
  })

  it('leaves no handle behind after 200 starts and stops', async () => {
    const upstreamOf = () => supervise(wayward([], { wire: stdioWire('cat', []), connectTimeoutMs: 60_000 })).upstream
    const rounds = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const batch = Array.from({ length: 10 }, upstreamOf)
        for (const upstream of batch) upstream.start()
        await Promise.all(batch.map((upstream) => upstream.stop()))
      }
      await stopAll()
      return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length
    }
    const before = await rounds(1)
    expect(await rounds(19)).toBeLessThanOrEqual(before + 2)
  })

  it('gives a server the short list of variables and its own, or all', async () => {
    const own = (inheritEnv: boolean) =>
      wayward([], {
        wire: stdioWire(process.execPath, [fixture('wayward-server')], { env: { OWN: 'x' }, inheritEnv, cwd: folder }),
      })
    process.env['SLUICE_TEST_SECRET'] = 'not for servers'
    const few = supervise(own(false)).upstream
    const all = supervise(own(true)).upstream
    await Promise.all([few.ready(), all.ready()])
    const fewEnv = (await ask<{ env: object; cwd: string }>(few, 'test/env')).result
    expect(
      Object.keys(fewEnv.env).filter((name) => !['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'OWN'].includes(name)),
    ).toEqual([])
    expect(fewEnv.env).toHaveProperty('OWN', 'x')
    expect(fewEnv.cwd).toBe(folder)
    expect((await ask<{ env: object }>(all, 'test/env')).result.env).toHaveProperty('SLUICE_TEST_SECRET')
    delete process.env['SLUICE_TEST_SECRET']
  })
})
