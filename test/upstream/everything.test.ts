import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { ask, stdioWire, toolNames, upstreamFactory, wayward } from '../support/upstreams.js'

const { supervise, stopAll } = upstreamFactory()

afterEach(stopAll)

it('works with the everything server', async () => {
  const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'))
  const wire = stdioWire(process.execPath, [join(root, 'dist/index.js'), 'stdio'])
  const { upstream } = supervise(wayward([], { name: 'everything', wire }))
  await upstream.ready()
  expect(toolNames(upstream)).toContain('echo')
  expect(upstream.list('resources').length).toBeGreaterThan(0)
  expect(upstream.list('resourceTemplates').length).toBeGreaterThan(0)
  expect(upstream.list('prompts').length).toBeGreaterThan(0)
  const { result } = await ask(upstream, 'tools/call', { name: 'echo', arguments: { message: 'hello' } })
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] })
})
