// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration file
import { describe, expect, it } from 'vitest'
import { settingsFor } from '../../src/config/client-settings.js'
import { ECHO, failure, load } from './given-config.js'

describe('settings', () => {
  it('take an issuer of JWTs whole or not at all', () => {
    const jwt = { issuer: 'https://id.example', audience: 'https://us.example/mcp', jwks: 'https://id.example/jwks' }
    expect(load({ ...ECHO, sluice: { http: { jwt } } }).settings.jwt).toEqual(jwt)
    expect(load(ECHO).settings.jwt).toBeUndefined()
    const { jwks: _, ...part } = jwt
    expect(failure({ ...ECHO, sluice: { http: { jwt: part } } }).detail).toMatch(/http\.jwt\.jwks: is missing/)
    const open = { ...jwt, jwks: 'http://id.example/jwks' }
    expect(failure({ ...ECHO, sluice: { http: { jwt: open } } }).detail).toMatch(/http\.jwt\.jwks: must be an https address/)
  })

  it('have the defaults of the specification', () => {
    expect(load(ECHO).settings).toEqual({
      naming: 'prefixed',
      initWaitMs: 1500,
      listWaitMs: 2000,
      searchWaitMs: 2000,
      startConcurrency: 8,
      maxWorkers: expect.any(Number),
      sessionIdleMs: 30 * 60_000,
      hibernateAfterMs: 5 * 60_000,
      maxIndexBytes: 256 * 2 ** 20,
      maxMessageBytes: 256 * 2 ** 20,
      responses: { enabled: true, thresholdBytes: 16_384, resources: false, prompts: false },
      stats: true,
      jwt: undefined,
      catalog: {
        enabled: true,
        thresholdBytes: 16_384,
        mode: 'auto',
        allowlist: [],
        pins: [],
        maxTools: 24,
        contextBudget: 6000,
        adaptive: true,
        disclosure: false,
        descriptionBudget: 280,
        activation: 'auto',
        dialect: 'auto',
      },
      vector: { enabled: false, model: 'Xenova/all-MiniLM-L6-v2', runtime: 'auto' },
      searchTool: 'IndexSearch',
      readTool: 'IndexRead',
      callTool: 'IndexCall',
      metaTools: [],
    })
    expect(load(ECHO).servers[0]?.connectTimeoutMs).toBe(15_000)
  })

  it('take units and variables', () => {
    const settings = {
      sessionIdle: '${IDLE}',
      maxIndexBytes: '1 MiB',
      initWait: '0.5s',
      maxTools: '${N:-12}',
      startConcurrency: '${N:-3}',
    }
    const config = load({ ...ECHO, sluice: settings }, { variables: { IDLE: '10 min' } })
    expect(config.settings).toMatchObject({
      sessionIdleMs: 600_000,
      maxIndexBytes: 2 ** 20,
      initWaitMs: 500,
      startConcurrency: 3,
    })
  })

  it('put flags before the file and the file before defaults', () => {
    const flags = new Map<string, unknown>([
      ['naming', 'bare'],
      ['context.responses.thresholdBytes', 5],
    ])
    const file = {
      ...ECHO,
      sluice: { naming: 'prefixed', listWait: 9, context: { responses: { thresholdBytes: 7, prompts: true } } },
    }
    const { settings } = load(file, { flags })
    expect(settings).toMatchObject({ naming: 'bare', listWaitMs: 9, initWaitMs: 1500, pageSize: undefined })
    expect(settings.responses).toEqual({ enabled: true, thresholdBytes: 5, resources: false, prompts: true })
  })

  it('differ for a client that has its own: the file, then the client, then the flags', () => {
    const sluice = {
      maxTools: 9,
      context: { responses: { thresholdBytes: 7 }, catalog: { thresholdBytes: 8 } },
      clients: {
        'claude*': { mode: 'off', contextBudget: 5, context: { responses: { enabled: false } } },
        '*': { pins: ['a::b'] },
      },
    }
    const config = load({ ...ECHO, sluice }, { flags: new Map([['contextBudget', 77]]) })
    const claude = settingsFor(config, 'claude-code')
    expect(claude.responses).toEqual({ enabled: false, thresholdBytes: 7, resources: false, prompts: false })
    expect(claude.catalog).toMatchObject({ mode: 'off', maxTools: 9, contextBudget: 77, thresholdBytes: 8, pins: [] })
    expect(settingsFor(config, 'vscode').catalog).toMatchObject({ mode: 'auto', pins: ['a::b'] })
    const plain = load(ECHO)
    expect(settingsFor(plain, 'vscode')).toBe(plain.settings)
  })

  it('say where a client’s own are wrong', () => {
    const sluice = { clients: { x: { maxTool: 1, mode: 'loud', context: { callTool: 'IndexRead' } } } }
    const { detail } = failure({ ...ECHO, sluice })
    expect(detail).toContain('did you mean "maxTools"?')
    expect(detail).toContain('clients.x.mode')
    const twice = failure({ ...ECHO, sluice: { clients: { x: { context: { callTool: 'IndexRead' } } } } })
    expect(twice.detail).toContain('clients.x.context.callTool')
  })

  it('note each one that has no effect yet, and accept all of the specification', () => {
    const sluice = {
      mode: 'manual',
      allowlist: ['a'],
      pins: ['a::b'],
      maxTools: 1,
      contextBudget: 1,
      adaptive: false,
      disclosure: true,
      descriptionBudget: 1,
      activation: 'on',
      stats: false,
      metaTools: ['slim_stats'],
      context: { catalog: { enabled: false, thresholdBytes: 1 }, vector: { enabled: true, model: 'm' }, callTool: 'Call' },
      clients: { 'claude*': { mode: 'off', context: { responses: { enabled: false } } } },
    }
    const { notes } = load({ ...ECHO, sluice })
    expect(notes).toEqual([])
  })
})
