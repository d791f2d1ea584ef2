// Headers that the user adds to every request of the console: for a gateway, a tenant, a test. They
// stay in memory: logs and exports never contain their values. Snippets of a call contain them while
// the page lives.
export interface OwnHeader {
  readonly name: string
  readonly value: string
}

/** Set by the client; another value would break the protocol. */
const OF_CLIENT = /^(?:accept|content-type|last-event-id|mcp-.*|console-call)$/
/** A browser does not send these for a page. Fetch standard, "forbidden request-header". */
const OF_BROWSER =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|permissions-policy|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*|x-http-method.*|x-method-override)$/

/** Why a header cannot be sent. @returns undefined if it can */
export function findHeaderFault({ name, value }: OwnHeader): string | undefined {
  const lower = name.trim().toLowerCase()
  if (lower === '') return value === '' ? undefined : 'The name is missing'
  if (lower === 'authorization') return 'Sign in sets this header'
  if (OF_CLIENT.test(lower)) return 'The client sets this header'
  if (OF_BROWSER.test(lower)) return 'Browsers do not let a page set this header'
  try {
    new Headers([[name.trim(), value]])
    return undefined
  } catch {
    return /^[!#$%&'*+\-.^_`|~\w]+$/.test(lower)
      ? 'A value has visible characters of Latin-1 only'
      : 'A name has letters, digits and hyphens only'
  }
}

/** The headers that can be sent; if two have the same name, the last one. */
export function findSent(own: readonly OwnHeader[]): Record<string, string> {
  const sent = new Map<string, readonly [name: string, value: string]>()
  for (const { name, value } of own) {
    const trimmed = name.trim()
    if (trimmed !== '' && findHeaderFault({ name, value }) === undefined)
      sent.set(trimmed.toLowerCase(), [trimmed, value])
  }
  return Object.fromEntries(sent.values())
}

/** Adds the headers that can be sent to the request. */
export function addOwnHeaders(init: RequestInit | undefined, own: readonly OwnHeader[]): RequestInit | undefined {
  if (own.length === 0) return init
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(findSent(own))) headers.set(name, value)
  return { ...init, headers }
}
