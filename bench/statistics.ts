/** Quantiles of samples. */

/** The q-quantile (0 to 1) by the nearest rank. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

export function round(value: number, digits = 3): number {
  return Number(value.toFixed(digits))
}
