// The code common to both services: reads and checks their results, and words their errors.
import { ToolError } from 'toolrack'
import { objectOf } from '../_web/json.ts'
import { toText, withoutImages } from '../_web/without-images.ts'

/** Entries read of one response; no search page has as many. */
const MAX_ENTRIES = 1000
const MAX_TITLE = 300
const MAX_SNIPPET = 1000

export interface Query {
  readonly query: string
  readonly count: number
  readonly page: number
  readonly safesearch: 'off' | 'moderate' | 'strict'
}

export interface Result {
  title: string
  url: string
  snippet: string
}

export interface Results {
  results: Result[]
  /** Results of this page beyond those asked for; the next page has none of them. */
  omitted?: number
  /** True if the service may have more pages. */
  hasMore: boolean
}

/** Answers a query. @throws ToolError for any failure of the service */
export type Search = (query: Query, signal: AbortSignal) => Promise<Results>

/**
 * @param entries  as the service sent them; those without an http(s) URL are left out
 * @param count    how many are read; the others are counted
 * @param snippet  the member that holds the text
 * @param clean    turns a member into plain text
 */
export function readResults(
  entries: readonly unknown[],
  { count, snippet, clean }: { count: number; snippet: string; clean: (text: string) => string },
): { results: Result[]; omitted: number } {
  const found = entries.slice(0, MAX_ENTRIES).flatMap(entry => {
    const members = objectOf(entry) ?? {}
    const target = targetOf(members['url'])
    return target === undefined ? [] : [{ target, members }]
  })
  const results = found.slice(0, count).map(({ target, members }) => ({
    title: line(members['title'], MAX_TITLE, clean) || target.host,
    url: toText(target),
    snippet: line(members[snippet], MAX_SNIPPET, clean),
  }))
  return { results, omitted: found.length - results.length }
}

function targetOf(url: unknown): URL | undefined {
  const target = typeof url === 'string' && url.length <= 2048 ? URL.parse(url) : null
  return target !== null && /^https?:$/.test(target.protocol) ? target : undefined
}

// Cut first, so that cleaning is bounded too.
function line(value: unknown, max: number, clean: (text: string) => string): string {
  if (typeof value !== 'string') return ''
  return withoutImages(clean(value.slice(0, 2 * max)))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, max)
}

export function malformed(setting: string): ToolError {
  return new ToolError(
    'The answer of the search service cannot be used. Try again later; if it stays so, the operator should check ' +
      `${setting}.`,
  )
}

/** Describes an unsuccessful response. @param waitS how long to wait, if the service said so */
export function refusal(status: number, setting: string, waitS?: number): ToolError {
  const answered = `The search service answered HTTP ${status}.`
  if (status === 429) {
    const wait = waitS === undefined ? 'a minute' : `${waitS} s`
    return new ToolError(`${answered} It has had too many requests: wait ${wait}, then try once.`)
  }
  if (status >= 500) return new ToolError(`${answered} It is failing: try again in a few minutes.`)
  if (status === 400 || status === 422) {
    return new ToolError(
      `${answered} Do not repeat this call as it is: make the query shorter and plainer. If that does not help, the ` +
        `operator should check ${setting}.`,
    )
  }
  return new ToolError(`${answered} Do not repeat this call as it is; the operator should check ${setting}.`)
}
