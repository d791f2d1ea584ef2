// How long a service asks to be left alone.

const MAX_S = 10_000_000

/** Whole seconds, as text has them. */
export function secondsOf(text: string): number | undefined {
  return /^\d{1,7}$/.test(text) ? Number(text) : undefined
}

/** Seconds from now of a Retry-After, which has seconds or a date (RFC 9110, 10.2.3); undefined for what is neither. */
export function retryAfterS(header: string): number | undefined {
  const dateMs = /^[A-Z][a-z]{2}, .{10,30} GMT$/.test(header) ? Date.parse(header) : Number.NaN
  const seconds = secondsOf(header) ?? Math.ceil((dateMs - Date.now()) / 1000)
  return seconds < MAX_S ? Math.max(seconds, 1) : undefined
}
