// Delays before each attempt to reconnect. All attempts together take about two minutes.
export const MAX_TRIES = 12

/** @param attempt from 0 @returns ms */
export const backoffMs = (attempt: number): number => Math.min(300 * 2 ** attempt, 15_000)
