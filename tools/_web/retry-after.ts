// Parses how long a service asks clients to wait.

const MAX_S = 10_000_000

/** Parses whole seconds. */
export function secondsOf(text: string): number | undefined {
  return /^\d{1,7}$/.test(text) ? Number(text) : undefined
}

/**
 * Parses a Retry-After header of seconds or a date (RFC 9110, 10.2.3) to seconds from now;
 * undefined if it is neither.
 */
export function retryAfterS(header: string): number | undefined {
  const dateMs = /^[A-Z][a-z]{2}, .{10,30} GMT$/.test(header) ? Date.parse(header) : Number.NaN
  const seconds = secondsOf(header) ?? Math.ceil((dateMs - Date.now()) / 1000)
  return seconds < MAX_S ? Math.max(seconds, 1) : undefined
}
