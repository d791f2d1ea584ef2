// Brave's web search API. https://api-dashboard.search.brave.com/api-reference/web/search/get
import { ToolError } from 'toolrack'
import { ownHost } from '../_web/allow-list.ts'
import { baseUrl, below } from '../_web/base-url.ts'
import { type WebAnswer, webClient } from '../_web/client.ts'
import { objectOf, parseObject } from '../_web/json.ts'
import { retryAfterS, secondsOf } from '../_web/retry-after.ts'
import { stripTags } from '../_web/strip-tags.ts'
import { malformed, readResults, refusal, type Search } from './results.ts'

const SETTING = 'BRAVE_API_KEY'
const MAX_BYTES = 1024 * 1024
const BASE = 'https://api.search.brave.com'
const PATH = '/res/v1/web/search'
/** Brave's last page, and its results per page. */
const MAX_PAGE = 10
const MAX_COUNT = 20

/** @throws Error if a setting is unusable */
export function brave(key: string, base = BASE): Search {
  // Without a key the tool is not served, but its file is loaded all the same.
  if (!/^[\x21-\x7e]{0,200}$/.test(key)) throw new Error(`${SETTING} must be a key of plain ASCII without spaces`)
  const endpoint = below(baseUrl('BRAVE_API_URL', base), PATH)
  const web = webClient({ allow: ownHost('BRAVE_API_URL', endpoint) })
  return async ({ query, count, page, safesearch }, signal) => {
    const url = new URL(endpoint)
    const parameters = { q: query, count: String(Math.min(count, MAX_COUNT)), offset: String(page - 1), safesearch }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const answer = await web.get(url.href, {
      signal,
      headers: { accept: 'application/json' },
      credentials: { 'x-subscription-token': key },
      maxBytes: MAX_BYTES,
      who: 'The search service',
    })
    const body = parseObject(answer.body.toString())
    if (answer.status < 200 || answer.status > 299) throw failure(answer, body)
    // If there are no results, `web` is missing.
    const entries = objectOf(body?.['web'])?.['results'] ?? []
    if (body?.['type'] !== 'search' || !Array.isArray(entries)) throw malformed(SETTING)
    const hasMore = objectOf(body['query'])?.['more_results_available'] === true && page < MAX_PAGE
    // Results beyond `count` would belong to no page, so they are dropped.
    const { results } = readResults(entries, { count, snippet: 'description', clean: stripTags })
    return { results, hasMore }
  }
}

function failure({ status, header }: WebAnswer, body: Record<string, unknown> | undefined): ToolError {
  const code = objectOf(body?.['error'])?.['code']
  // Brave reports an unknown key as 422, like an invalid request.
  if (status === 401 || status === 403 || (typeof code === 'string' && code.startsWith('SUBSCRIPTION_TOKEN'))) {
    return new ToolError(
      `The search service refuses the key (HTTP ${status}). Do not repeat this call; the operator should check ${SETTING}.`,
    )
  }
  return refusal(status, SETTING, retryAfterS(header('retry-after')) ?? resetS(header))
}

/** Per second and per month: `1, 0` left, `1, 86400` s to reset; the longest used-up one counts. */
function resetS(header: WebAnswer['header']): number | undefined {
  const numbers = (name: string) =>
    header(name)
      .slice(0, 100)
      .split(',')
      .map(text => secondsOf(text.trim()))
  const resets = numbers('x-ratelimit-reset')
  const left = numbers('x-ratelimit-remaining')
  return resets.filter((_reset, index) => left[index] === 0).at(-1)
}
