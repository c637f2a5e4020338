import { spawn } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { familyOf, isAlive, processTable } from '../../src/upstream/process-table.js'
import { endProcessTree } from '../../src/upstream/process-tree.js'
import { StderrTail } from '../../src/upstream/stderr-tail.js'
import { messagesOf } from '../../src/upstream/stdio-lines.js'

describe('lines', () => {
  const texts = (line: string) => messagesOf(Buffer.from(line, 'utf8')).map((bytes) => Buffer.from(bytes).toString('utf8'))

  it.each([
    ['{"a":1}', ['{"a":1}']],
    ['\ufeff  {"a":1}\t ', ['{"a":1}']],
    ['[{"a":1}, {"b":[2]} ]', ['{"a":1}', '{"b":[2]}']],
    ['[INFO] started {"a":1}', []],
    ['[2026-01-01 10:00] x', []],
    ['[]', []],
    ['"text"', []],
    ['   ', []],
  ])('finds the messages of %s', (line, expected) => {
    expect(texts(line)).toEqual(expected)
  })

  it('takes any batch apart into its messages', () => {
    const message = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(fc.array(message), (batch) => {
        expect(texts(JSON.stringify(batch))).toEqual(batch.map((one) => JSON.stringify(one)))
      }),
    )
  })
})

describe('stderr', () => {
  it('keeps whole last lines, at most a thousand characters, without colours', () => {
    const tail = new StderrTail()
    expect(tail.text).toBe('')
    for (let i = 0; i < 5000; i++) tail.push(Buffer.from(`\u001b[31mline ${i}\u001b[0m\n`))
    expect(tail.text.startsWith('…line ')).toBe(true)
    expect(tail.text.endsWith('line 4998\nline 4999')).toBe(true)
    expect(tail.text.length).toBeLessThanOrEqual(1001)
  })

  it('cuts one endless line', () => {
    const tail = new StderrTail()
    tail.push(Buffer.from('é'.repeat(100_000)))
    expect(tail.text).toBe(`…${'é'.repeat(1000)}`)
  })
})

describe('process trees', () => {
  it('finds descendants in other groups and sessions, and those that were known', async () => {
    const child = spawn('sh', ['-c', 'setsid sleep 300 & sleep 300; :'], { detached: true, stdio: 'ignore' })
    const root = child.pid ?? 0
    let family = familyOf(root, await processTable())
    const strangerIn = () => [...family.values()].find(({ session }) => session !== root)
    // All three may be there before the one of them has left the session.
    while (family.size < 3 || !strangerIn()) family = familyOf(root, await processTable())
    const stranger = strangerIn()
    expect(stranger).toBeDefined()
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const table = await processTable()
    expect(familyOf(root, table).has(stranger?.pid ?? 0)).toBe(false)
    const left = familyOf(root, table, family)
    expect(left.has(stranger?.pid ?? 0)).toBe(true)
    for (const { pid } of left.values()) process.kill(pid, 'SIGKILL')
  })

  it('takes another process with the same pid for dead', async () => {
    const own = (await processTable()).get(process.pid)!
    expect(isAlive(own)).toBe(true)
    expect(isAlive({ ...own, started: '1' })).toBe(process.platform !== 'linux')
  })

  it('does nothing to a child that never started, or has ended long ago', async () => {
    const never = spawn('/no/such/command', { detached: true })
    never.once('error', () => undefined)
    await endProcessTree(never)
    const ended = spawn('true', { detached: true })
    await new Promise((resolve) => ended.once('close', resolve))
    await endProcessTree(ended)
    await endProcessTree(ended)
  })
})
