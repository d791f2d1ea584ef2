// When those who were refused together should come back: not together.

/** A whole number of seconds, evenly spread from half of `aboutS` to half more. */
export function spreadRetry(aboutS: number, random: () => number = Math.random): number {
  return Math.max(1, Math.round(aboutS * (0.5 + random())))
}
