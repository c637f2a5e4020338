/** How far a model can be trusted: whether it finds what belongs together although no word is the same. */
import type { TextRole, Vectors } from '../protocol/vector-api.js'

export interface Calibration {
  /** From 0, no better than chance, to 1, all pairs found. */
  readonly strength: number
  /** A cosine that texts which have nothing to do with each other hardly ever reach. */
  readonly floor: number
}

/**
 * Each question is asked of all passages. The strength is the mean reciprocal rank of its own, above chance. A question and its passage
 * share hardly a content word, so that counting words earns nothing; the other passages tell how near what is unrelated comes.
 */
export async function calibrate(embed: (texts: readonly string[], role: TextRole) => Promise<Vectors>): Promise<Calibration> {
  const questions = await allOf(
    embed,
    'query',
    PAIRS.map(([question]) => question),
  )
  const passages = await allOf(
    embed,
    'passage',
    PAIRS.map(([, passage]) => passage),
  )
  const scores = questions.map((question) => passages.map((passage) => cosine(question, passage)))
  const chance = PAIRS.reduce((sum, _, n) => sum + 1 / (n + 1), 0) / PAIRS.length
  const found = scores.reduce((sum, row, own) => sum + 1 / rankOf(row, own), 0) / PAIRS.length
  const unrelated = scores.flatMap((row, own) => row.filter((_, n) => n !== own))
  const mean = unrelated.reduce((sum, score) => sum + score, 0) / unrelated.length
  const deviation = Math.sqrt(unrelated.reduce((sum, score) => sum + (score - mean) ** 2, 0) / unrelated.length)
  return { strength: Math.min(1, Math.max(0, (found - chance) / (1 - chance))), floor: mean + FLOOR_DEVIATIONS * deviation }
}

// --- internal ---

const PAIRS: readonly (readonly [question: string, passage: string])[] = [
  ['How do I cancel my subscription?', 'To end your membership, open billing and choose stop renewal.'],
  ['The laptop battery drains too fast', 'Portable computers lose charge quickly when the screen is bright.'],
  ['Best time of year to visit Japan', 'Tokyo is most pleasant for tourists in spring, when cherries bloom.'],
  ['Remove a file from the repository', 'Delete a tracked document and commit the change.'],
  ['What is the capital of France?', 'Paris is the seat of government and the largest city of the country.'],
  ['The doctor prescribed antibiotics', 'A physician gave her medicine against the infection.'],
  ['Stock prices fell sharply', 'Shares on the exchange lost much of their value today.'],
  ['How much does shipping cost?', 'Delivery fees depend on weight and destination.'],
  ['Cooking pasta at home', 'Boil noodles in salted water for ten minutes.'],
  ['Database connection refused', 'The SQL server did not accept the client, so queries failed.'],
  ['A young boy plays with his dog', 'The child throws a stick for the puppy in the garden.'],
  ['List employees of the company', 'Show all staff who work for a firm.'],
  ['Weather forecast for tomorrow', 'Rain and strong wind are expected on Tuesday, with low temperatures.'],
  ['Translate the letter into German', 'Render a text in another language.'],
  ['Who wrote Hamlet?', 'Shakespeare is the author of that play.'],
  ['Book a flight ticket', 'Reserve a seat on a plane to your destination.'],
  ['Password reset does not work', 'Users who forgot their credentials could not sign in again.'],
  ['The football team won the match', 'Our side beat its opponents by three goals.'],
  ['Increase the memory limit of a container', 'Give the Docker process more RAM.'],
  ['Climate change melts glaciers', 'Global warming makes polar ice disappear.'],
  ['Send a message to a channel', 'Post text in a chat room for everyone to read.'],
  ['He bought a new car', 'The man purchased an automobile last week.'],
  ['The function throws an exception', 'An error is raised when this method runs.'],
  ['Find restaurants near me', 'Places to eat in the neighbourhood, sorted by distance.'],
]

const BATCH = 8
/** Of a normal distribution 6 in 1,000 lie above. */
const FLOOR_DEVIATIONS = 2.5

async function allOf(
  embed: (texts: readonly string[], role: TextRole) => Promise<Vectors>,
  role: TextRole,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let from = 0; from < texts.length; from += BATCH) {
    const batch = texts.slice(from, from + BATCH)
    const { dimensions, values } = await embed(batch, role)
    batch.forEach((_, n) => {
      vectors.push(values.slice(n * dimensions, (n + 1) * dimensions))
    })
  }
  return vectors
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

/** From 1. Not a number counts as last: a broken model earns nothing. */
function rankOf(scores: readonly number[], own: number): number {
  const mine = scores[own] ?? Number.NaN
  return scores.filter((score, n) => n === own || !(score < mine)).length
}
