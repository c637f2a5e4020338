/** Pins: which tools a user wants listed before all others. Pure. */
import type { Candidate } from './admission.js'
import { nameMatcher } from './name-matcher.js'

export interface Pin {
  /** As it stands in the settings. */
  readonly text: string
  fits(candidate: Candidate): boolean
  /** The tools that it names, in their order. An exposed name goes before a composition that looks like one. */
  of(candidates: readonly Candidate[]): readonly Candidate[]
}

/** @param pins exposed names, `server::tool` with the server's name or alias, or globs on either */
export function pinsOf(pins: readonly string[]): Pin[] {
  return pins.map((text) => {
    const matches = nameMatcher([text])
    const fits = (candidate: Candidate) => namesOf(candidate).some((name) => matches(name))
    return {
      text,
      fits,
      of(candidates) {
        const exact = candidates.find(({ entry }) => entry.exposed === text)
        return exact ? [exact] : candidates.filter(fits)
      },
    }
  })
}

// --- internal ---

function namesOf({ server, entry }: Candidate): string[] {
  return [entry.exposed, `${server.name}::${entry.key}`, `${server.alias}::${entry.key}`]
}
