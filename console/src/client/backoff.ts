// How long to wait before each try to reconnect: some two minutes in all.

export const MAX_TRIES = 12

/** @param attempt from 0 @returns ms */
export const backoffMs = (attempt: number): number => Math.min(300 * 2 ** attempt, 15_000)
