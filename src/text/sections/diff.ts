/** Sections of a diff: the files it changes, below the commits they belong to where it names them. */

import type { LineIndex } from '../line-index.js'
import { asTitle, type Section } from '../section.js'

export function diffSections(text: string, lines: LineIndex): Section[] {
  const sections: Section[] = []
  const isGit = text.startsWith('diff --git ') || text.includes('\ndiff --git ')
  let below = 0
  for (let line = 1; line <= lines.count; line++) {
    const start = lines.start(line)
    const first = text.charCodeAt(start)
    if (first !== LOWER_D && first !== LOWER_C && first !== DASH && first !== UPPER_I) continue
    const head = text.slice(start, Math.min(lines.end(line), start + REACH)).trimEnd()
    if (COMMIT.test(head)) {
      below = 1
      sections.push({ title: asTitle(`${head.slice(0, 'commit '.length + 10)} ${subject(text, lines, line)}`), line, depth: 1 })
      continue
    }
    const file = isGit ? gitFile(head) : (INDEX.exec(head)?.[1] ?? plainFile(text, lines, line))
    if (file && !(file === last(sections) && !isGit)) sections.push({ title: asTitle(file), line, depth: 1 + below })
  }
  return sections
}

// --- internal ---

const LOWER_C = 0x63
const LOWER_D = 0x64
const UPPER_I = 0x49
const DASH = 0x2d
const REACH = 4_000
const COMMIT = /^commit [0-9a-f]{7,64}\b/
const GIT = /^diff --(?:git "?a\/(.+?)"? "?b\/(.+?)"?|(?:cc|combined) (.+))$/
const INDEX = /^Index: (.+)$/
const SUBJECT_REACH = 12

function gitFile(head: string): string | undefined {
  const found = GIT.exec(head)
  if (!found) return head.startsWith('diff --git ') ? head.slice('diff --git '.length) : undefined
  const [, before, after, combined] = found
  return combined ?? (before === after ? after : `${before} → ${after}`)
}

/** The file of a `--- a` line that a `+++ b` line follows. */
function plainFile(text: string, lines: LineIndex, line: number): string | undefined {
  const start = lines.start(line)
  if (!text.startsWith('--- ', start) || line === lines.count) return undefined
  const next = lines.start(line + 1)
  if (!text.startsWith('+++ ', next)) return undefined
  const before = fileName(text.slice(start + 4, lines.end(line)))
  const after = fileName(text.slice(next + 4, lines.end(line + 1)))
  return after === '/dev/null' ? before : after
}

/** Without the time stamp behind a tab and without the `a/` or `b/` of git. */
function fileName(raw: string): string {
  return (raw.split('\t', 1)[0] ?? '').trim().replace(/^[ab]\//, '')
}

/** The first line of the commit's message, which git indents. */
function subject(text: string, lines: LineIndex, commit: number): string {
  for (let line = commit + 1; line <= Math.min(lines.count, commit + SUBJECT_REACH); line++) {
    const head = text.slice(lines.start(line), Math.min(lines.end(line), lines.start(line) + 200))
    if (/^ {4}\S/.test(head)) return head.trim()
  }
  return ''
}

function last(sections: readonly Section[]): string | undefined {
  return sections[sections.length - 1]?.title
}
