/** Lists of names in the settings, which may be globs. */
import picomatch from 'picomatch'

/** Whether a name is one of these or fits a glob among them. A name with characters that mean something in a glob stands for itself too. */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns)
  const globs = patterns.filter((pattern) => picomatch.scan(pattern).isGlob)
  const fits = globs.length > 0 ? picomatch(globs) : () => false
  return (name) => names.has(name) || fits(name)
}
