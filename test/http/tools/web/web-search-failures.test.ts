import t from 'tap'
import { KEY, withBrave, withSearxng } from '../../../support/tools/search-services.ts'
import { type Answer, errorOf, fixture, json } from '../../../support/tools/shipped.ts'
import { html } from '../../../support/tools/web-servers.ts'

const hang: Answer = () => {}
const limited: Answer = (_request, response) => {
  response
    .writeHead(429, { 'x-ratelimit-remaining': '0, 0', 'x-ratelimit-reset': '1, 86400' })
    .end(fixture('brave-429.json'))
}
const retryAfter: Answer = (_request, response) =>
  response.writeHead(429, { 'retry-after': '7' }).end('Too Many Requests')
const retryAtDate: Answer = (_request, response) =>
  response.writeHead(429, { 'retry-after': new Date(Date.now() + 100_000).toUTCString() }).end('Too Many Requests')

type Failure = [what: string, service: typeof withBrave, answer: Answer, expected: RegExp]

const FAILURES: Failure[] = [
  [
    'Brave refuses the key by 422',
    withBrave,
    json(fixture('brave-422-token.json'), 422),
    /refuses the key \(HTTP 422\).*BRAVE_API_KEY/,
  ],
  ['Brave refuses the key by 401', withBrave, json('{}', 401), /refuses the key \(HTTP 401\)/],
  [
    'Brave refuses the query',
    withBrave,
    json(fixture('brave-422-validation.json'), 422),
    /HTTP 422\. Do not repeat this call as it is: make the query shorter/,
  ],
  ['Brave has its limit', withBrave, limited, /too many requests: wait 86400 s, then try once/],
  ['Brave fails', withBrave, json('{}', 500), /HTTP 500\. It is failing: try again in a few minutes/],
  ['Brave answers with HTML', withBrave, html('<html>'), /cannot be used\. Try again later; .* BRAVE_API_KEY/],
  [
    'Brave answers with results of another shape',
    withBrave,
    json('{"type":"search","web":{"results":7}}'),
    /cannot be used/,
  ],
  ['SearXNG has JSON switched off', withSearxng, html('<h1>Forbidden</h1>'), /cannot be used/],
  ['SearXNG forbids JSON', withSearxng, json('<h1>Forbidden</h1>', 403), /HTTP 403.*add "json" to search\.formats/],
  ['SearXNG has its limit', withSearxng, retryAfter, /too many requests: wait 7 s/],
  ['SearXNG has its limit until a date', withSearxng, retryAtDate, /too many requests: wait (9\d|100) s/],
  ['SearXNG fails', withSearxng, json('', 502), /HTTP 502\. It is failing/],
  ['SearXNG is not there', withSearxng, json('', 404), /HTTP 404\..*the operator should check SEARCH_URL/],
  [
    'SearXNG’s engines are silent',
    withSearxng,
    json(fixture('searxng-silent.json')),
    /None of the engines .* answered/,
  ],
  ['SearXNG answers without results', withSearxng, json('{"query":"x"}'), /cannot be used.*SEARCH_URL/],
  [
    'an answer is huge',
    withSearxng,
    json(`{"results":["${'x'.repeat(2 ** 20)}"]}`),
    /larger than 1 MiB.* Ask for something smaller/,
  ],
  [
    'an answer breaks off',
    withSearxng,
    (_request, response) => response.socket?.destroy(),
    /The search service broke off/,
  ],
]

for (const [what, service, answer, expected] of FAILURES) {
  t.test(`web_search: where ${what}, the error says what to do, and neither key nor host`, async t => {
    const { search, host, app } = await service(t, answer)

    const failure = errorOf(await search())

    t.match(failure, expected)
    t.notMatch(failure + app.logs.text, KEY)
    t.notMatch(failure, host)
  })
}

t.test('web_search: a service that does not answer is given up after 10 s', async t => {
  const { search } = await withBrave(t, hang)
  const { timeout } = AbortSignal
  const askedMs: number[] = []
  t.intercept(AbortSignal, 'timeout', {
    value: (ms: number) => {
      askedMs.push(ms)
      return timeout.call(AbortSignal, 200)
    },
  })

  t.match(errorOf(await search()), /The search service did not answer in full within 10 s/)
  t.strictSame(askedMs, [10_000])
})
