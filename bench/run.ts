/**
 * `npm run bench [-- NAME…] [--smoke] [--out FILE] [--compare FILE] [--plot] [--readme]`: each trial in a process of its own; a table
 * on the terminal, JSON in a file. `--compare` shows what has changed since an earlier JSON, `--plot` draws an SVG beside the new one,
 * `--readme` writes the tables between the README's markers, and leaves those of other trials there.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compare, type Outcome } from './compare.js'
import { plot } from './plot.js'
import { type Row, TRIALS, type Trial } from './trials.js'

const HERE = fileURLToPath(import.meta.url)
const TRIAL_MS = 1_800_000
const START = '<!-- bench:start -->'
const END = '<!-- bench:end -->'

await main()

// --- internal ---

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      out: { type: 'string' },
      trial: { type: 'string' },
      compare: { type: 'string' },
      plot: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
    },
  })
  if (values.trial !== undefined) return runTrial(values.trial, values.smoke)
  const chosen = positionals.length === 0 ? TRIALS : TRIALS.filter((trial) => positionals.includes(trial.name))
  const unknown = positionals.filter((name) => !TRIALS.some((trial) => trial.name === name))
  if (unknown.length > 0) {
    process.stderr.write(
      `bench: no trial is called ${unknown.join(', ')}; there are ${TRIALS.map((trial) => trial.name).join(', ')}\n`,
    )
    process.exit(2)
  }
  const outcomes = chosen.flatMap((trial) => inOwnProcess(trial, values.smoke))
  const out = values.out ?? fileURLToPath(new URL('results.json', import.meta.url))
  const facts = { node: process.version, platform: process.platform, smoke: values.smoke }
  writeFileSync(out, `${JSON.stringify({ ...facts, outcomes }, null, 2)}\n`)
  process.stdout.write(`JSON: ${out}\n`)
  if (values.compare !== undefined) showChanges(values.compare, outcomes)
  if (values.plot) {
    const svg = out.replace(/(?:\.json)?$/, '.svg')
    writeFileSync(svg, plot(outcomes))
    process.stdout.write(`SVG: ${svg}\n`)
  }
  if (values.readme) writeReadme(outcomes)
  process.exitCode = outcomes.length === chosen.length ? 0 : 1
}

async function runTrial(name: string, smoke: boolean): Promise<void> {
  const trial = TRIALS.find((candidate) => candidate.name === name)
  const rows = await trial?.run({ smoke })
  process.stdout.write(JSON.stringify(rows))
  process.exit(0)
}

function inOwnProcess(trial: Trial, smoke: boolean): Outcome[] {
  process.stdout.write(`\n${trial.name}: ${trial.measures}\n`)
  const args = [HERE, '--trial', trial.name, ...(smoke ? ['--smoke'] : [])]
  const { stdout, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: TRIAL_MS,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) {
    process.stdout.write(`  failed (status ${status})\n`)
    return []
  }
  const rows = JSON.parse(stdout) as Row[]
  process.stdout.write(table(rows))
  return [{ trial: trial.name, rows }]
}

function showChanges(file: string, outcomes: readonly Outcome[]): void {
  const before = (JSON.parse(readFileSync(file, 'utf8')) as { outcomes: Outcome[] }).outcomes
  for (const { trial, rows } of compare(before, outcomes)) process.stdout.write(`\n${trial}, before and now\n${table(rows)}`)
}

function writeReadme(outcomes: readonly Outcome[]): void {
  const readme = fileURLToPath(new URL('../../README.md', import.meta.url))
  const text = readFileSync(readme, 'utf8')
  const [head, tail] = [text.indexOf(START) + START.length, text.indexOf(END)]
  const measured = new Map(outcomes.map(({ trial, rows }) => [trial, rows]))
  const kept = new Map(
    text
      .slice(head, tail)
      .split(/^(?=\*\*)/m)
      .map((part) => [/^\*\*(.+?)\*\*/.exec(part)?.[1], part.trim()]),
  )
  const tables = TRIALS.flatMap(({ name, measures }) => {
    const rows = measured.get(name)
    return rows ? `**${name}**: ${measures}\n\n${markdownTable(rows)}` : (kept.get(name) ?? [])
  })
  writeFileSync(readme, `${text.slice(0, head)}\n\n${tables.join('\n\n')}\n\n${text.slice(tail)}`)
}

function markdownTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns),
    line(columns.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
  ].join('\n')
}

function table(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)))
  return cells
    .map(
      (line) =>
        `  ${line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')}\n`,
    )
    .join('')
}
