// Checks if a site allows programs to read a URL. RFC 9309
import robotsParser from 'robots-parser'
import { ToolError } from 'toolrack'
import type { WebClient } from '../_web/client.ts'

const MAX_BYTES = 500 * 1024
const MAX_ORIGINS = 200
const TTL_MS = 10 * 60_000

// The type declarations describe an ES module; Node loads the function itself.
const parseRobots = robotsParser as unknown as typeof robotsParser.default

type Rules = ReturnType<typeof parseRobots>

interface Known {
  readonly rules: Rules
  readonly untilMs: number
}

/** @returns a function that throws a ToolError for URLs which their site disallows */
export function robotsGuard(client: WebClient, userAgent: string) {
  const [name = ''] = userAgent.split(/[\s/]/, 1)
  // In memory only, so each process fetches the rules itself.
  const known = new Map<string, Known>()

  async function rulesOf({ origin, host }: URL, signal: AbortSignal): Promise<Rules> {
    const { rules, untilMs = 0 } = known.get(origin) ?? {}
    if (rules !== undefined && untilMs > Date.now()) return rules
    const url = `${origin}/robots.txt`
    const answer = await client.get(url, {
      signal,
      maxBytes: MAX_BYTES,
      isCut: true,
      headers: { 'user-agent': userAgent },
    })
    if (answer.status >= 500) throw notNow(host, answer.status)
    // Without rules, everything is allowed.
    const text = answer.status < 300 ? wholeLines(answer.body) : ''
    const read = parseRobots(url, plain(text))
    known.delete(origin)
    known.set(origin, { rules: read, untilMs: Date.now() + TTL_MS })
    if (known.size > MAX_ORIGINS) known.delete(known.keys().next().value ?? '')
    return read
  }

  return async (url: URL, signal: AbortSignal): Promise<void> => {
    if (url.pathname === '/robots.txt') return
    const rules = await rulesOf(url, signal)
    if (rules.isAllowed(plain(url.href), name) === false) throw unwanted(url.host)
  }
}

// A line that was cut has another meaning: "Disallow: /private" may end as "Disallow: /".
function wholeLines(body: Buffer): string {
  const text = new TextDecoder().decode(body)
  return body.length < MAX_BYTES ? text : text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
}

// RFC 9309, 2.2.2: encoded letters and digits equal plain ones, but the parser distinguishes them.
function plain(text: string): string {
  return text.replace(/%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi, decodeURIComponent)
}

function notNow(host: string, status: number): ToolError {
  return new ToolError(
    `${host} cannot say now whether it wants to be read: its robots.txt answers HTTP ${status}. Try again later.`,
  )
}

function unwanted(host: string): ToolError {
  return new ToolError(
    `The robots.txt of ${host} asks programs not to read this page. Leave it, and use another source.`,
  )
}
