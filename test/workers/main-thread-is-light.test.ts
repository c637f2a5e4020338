import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const DIST = new URL('../../dist/', import.meta.url)
const HEAVY = ['better-sqlite3', '@xenova/transformers', 'onnxruntime-node', 'onnxruntime-web', 'gpt-tokenizer', 'sharp']
/** Folders whose code runs on worker threads only. */
const THREADS_ONLY = /\/dist\/(?:src\/(?:store|embed|compute|indexer|usage)|workers)\//

describe('the main thread', () => {
  it('reaches no heavy module and no code of the threads by any import', () => {
    const { files, packages } = importGraph(entries())
    expect(files.size).toBeGreaterThan(5)
    expect([...files].filter((file) => THREADS_ONLY.test(file))).toEqual([])
    expect([...packages].filter((name) => HEAVY.includes(name))).toEqual([])
  })

  it('has loaded none of them after its threads have worked', () => {
    const fixture = fileURLToPath(new URL('test/fixtures/actor-main-thread.js', DIST))
    const loadable = [...importGraph(entries()).files].filter((file) => !file.endsWith('/dist/src/cli.js'))
    const output = execFileSync(process.execPath, [fixture, ...loadable], { encoding: 'utf8', maxBuffer: 1 << 26 })
    const { counts, scripts, sharedObjects } = JSON.parse(output) as Record<'scripts' | 'sharedObjects', string[]> & {
      counts: unknown
    }
    expect(counts).toEqual([{ tokens: 2, estimated: false }])
    expect(scripts.filter((url) => url.includes('/node_modules/comlink/')).length).toBeGreaterThan(0)
    const heavy = (path: string) => HEAVY.some((name) => path.includes(`/node_modules/${name}/`))
    expect(scripts.filter((url) => heavy(url) || THREADS_ONLY.test(url))).toEqual([])
    expect(sharedObjects.filter((path) => heavy(path))).toEqual([])
  })
})

/** The command, or, before there is one, every file of `src/actor`. */
function entries(): URL[] {
  const cli = new URL('src/cli.js', DIST)
  if (existsSync(cli)) return [cli]
  const folder = new URL('src/actor/', DIST)
  const modules = readdirSync(folder).filter((file) => file.endsWith('.js'))
  return modules.map((file) => new URL(file, folder))
}

/** Files and packages that are reached from `from` by static imports and by dynamic ones of a fixed name. */
function importGraph(from: readonly URL[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const rest = [...from]
  for (let file = rest.pop(); file; file = rest.pop()) {
    if (files.has(file.href)) continue
    files.add(file.href)
    for (const specifier of specifiersOf(readFileSync(file, 'utf8'))) {
      if (specifier.startsWith('.')) rest.push(new URL(specifier, file))
      else packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
    }
  }
  return { files, packages }
}

function specifiersOf(code: string): string[] {
  const imports =
    /^(?:import|export)\b[^'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return [...code.matchAll(imports)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
}
