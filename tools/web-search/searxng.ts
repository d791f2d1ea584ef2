// SearXNG's JSON API. https://docs.searxng.org/dev/search_api.html
import { ToolError } from 'toolrack'
import { ownHost } from '../_web/allow-list.ts'
import { baseUrl, below } from '../_web/base-url.ts'
import { webClient } from '../_web/client.ts'
import { parseObject } from '../_web/json.ts'
import { retryAfterS } from '../_web/retry-after.ts'
import { malformed, type Query, readResults, refusal, type Search } from './results.ts'

const SETTING = 'SEARCH_URL'
const MAX_BYTES = 1024 * 1024
const SAFESEARCH = { off: '0', moderate: '1', strict: '2' } as const

/** @throws Error if the setting is no plain http(s) URL */
export function searxng(setting: string): Search {
  const base = baseUrl(SETTING, setting)
  const web = webClient({ allow: ownHost(SETTING, base) })
  return async (query, signal) => {
    const url = urlOf(base, query)
    const headers = { accept: 'application/json' }
    const { status, header, body } = await web.get(url, {
      signal,
      headers,
      maxBytes: MAX_BYTES,
      who: 'The search service',
    })
    if (status === 403) throw withoutJson()
    if (status < 200 || status > 299) throw refusal(status, SETTING, retryAfterS(header('retry-after')))
    const { results, unresponsive_engines: silent } = parseObject(body.toString()) ?? {}
    if (!Array.isArray(results)) throw malformed(SETTING)
    if (results.length === 0 && Array.isArray(silent) && silent.length > 0) throw enginesSilent()
    // The length of a page depends on SearXNG's engines.
    const found = readResults(results, { count: query.count, snippet: 'content', clean: text => text })
    return { ...found, hasMore: found.results.length > 0 }
  }
}

function urlOf(base: URL, { query, page, safesearch }: Query): string {
  const url = below(base, /\/search\/*$/.test(base.pathname) ? '' : '/search')
  const parameters = { q: query, format: 'json', pageno: String(page), safesearch: SAFESEARCH[safesearch] }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function withoutJson(): ToolError {
  return new ToolError(
    'The search service refuses to answer in JSON (HTTP 403). Do not repeat this call; the operator should add "json" ' +
      'to search.formats in the settings.yml of SearXNG.',
  )
}

function enginesSilent(): ToolError {
  return new ToolError('None of the engines behind the search service answered. Try again in a few minutes.')
}
