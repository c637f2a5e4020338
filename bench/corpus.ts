/** Seeded text to measure with: the same bytes on every machine. */

/** A small linear congruential generator (Numerical Recipes' constants); good enough to pick words. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ter', 'ran', 'so', 'ved', 'ul', 'pri', 'on', 'den', 'ash', 'gor', 'ix', 'bel', 'qua']
const VOCABULARY = 20_000

export type Kind = 'prose' | 'log' | 'json' | 'code'

/** Mixed text of about `bytes` bytes: prose under headings, log lines, pretty JSON, code, a block of each in turn. */
export function mixedText(bytes: number, seed = 1): string {
  const random = createRandom(seed)
  const kinds: Kind[] = ['prose', 'log', 'json', 'code']
  const parts: string[] = []
  let size = 0
  for (let i = 0; size < bytes; i++) {
    const part = block(kinds[i % kinds.length] ?? 'prose', random, i)
    parts.push(part)
    size += part.length
  }
  return parts.join('\n').slice(0, bytes)
}

/** Words of the corpus by frequency: a query of them finds something. */
export function corpusWord(random: () => number): string {
  // Squared, so that some words are common and most are rare, as in any text.
  return word(Math.floor(random() ** 2 * VOCABULARY))
}

// --- internal ---

function word(rank: number): string {
  const random = createRandom(rank + 7)
  return Array.from({ length: 2 + (rank % 3) }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('')
}

function block(kind: Kind, random: () => number, index: number): string {
  const words = (count: number) => Array.from({ length: count }, () => corpusWord(random))
  const lines = 20 + Math.floor(random() * 20)
  if (kind === 'prose') {
    return `## ${words(3).join(' ')} ${index}\n\n${Array.from({ length: lines }, () => `${words(12).join(' ')}.`).join('\n')}\n`
  }
  if (kind === 'log') {
    const line = (i: number) =>
      `2026-01-01T00:${String(i % 60).padStart(2, '0')}:00Z INFO [${words(1)}] request ${index}-${i} ${words(8).join(' ')}`
    return Array.from({ length: lines }, (_, i) => line(i)).join('\n')
  }
  if (kind === 'json') {
    return JSON.stringify(
      Array.from({ length: lines }, (_, i) => ({ id: index * 100 + i, name: words(2).join('_'), note: words(6).join(' ') })),
      null,
      2,
    )
  }
  const functionText = () => {
    const [name, a, b] = words(3)
    return `function ${name}${a?.[0]?.toUpperCase()}${a?.slice(1)}(${b}) {\n  return ${words(2).join('.')}(${b})\n}\n`
  }
  return Array.from({ length: Math.ceil(lines / 3) }, functionText).join('\n')
}
