import t from 'tap'
import { build, call } from '../../../support/app.ts'
import { KEY, searching, withBrave, withSearxng } from '../../../support/tools/search-services.ts'
import { errorOf, fixture, json, SHIPPED, setting } from '../../../support/tools/shipped.ts'
import { redirect, type Site, site, trap } from '../../../support/tools/web-servers.ts'

const queryOf = ({ asked }: Site) => Object.fromEntries(new URL(asked[0]!.path, 'http://x').searchParams)

t.test('web_search: without a service the tool is not served', async t => {
  for (const name of ['SEARCH_URL', 'BRAVE_API_KEY']) setting(t, name, undefined)

  const { result } = await call(await build(t, SHIPPED), 'tools/list')

  const names = result.tools.map((tool: { name: string }) => tool.name)
  t.ok(names.includes('fetch_page'))
  t.notOk(names.includes('web_search'))
})

t.test('web_search: SearXNG’s results come with title, URL and snippet', async t => {
  const service = await withSearxng(t, json(fixture('searxng-search.json')))

  const { structuredContent, content } = await service.search({ count: 2, page: 3, safesearch: 'strict' })

  t.strictSame(structuredContent, {
    query: 'canal herons',
    results: [
      {
        title: 'Grey heron',
        url: 'https://en.wikipedia.example/wiki/Grey_heron',
        snippet: 'The grey heron (Ardea cinerea) is a wading bird.',
      },
      {
        title: 'Herons on the canal',
        url: 'https://birds.example/canal?year=2026',
        snippet: 'Seven nests were counted this spring.',
      },
    ],
    omitted: 1,
    nextPage: 4,
  })
  t.match(
    content[0].text,
    /^1\. Grey heron\nhttps:\/\/en\.wikipedia\.example\/wiki\/Grey_heron\nThe grey heron .+\n\n2\. Herons[^[]+\n\n\[This page has 1 more, with a larger "count"\. Go on with "page": 4\.\]$/,
  )
  t.strictSame(queryOf(service), { q: 'canal herons', format: 'json', pageno: '3', safesearch: '2' })
})

t.test('web_search: Brave’s results come without their tags', async t => {
  const service = await withBrave(t, json(fixture('brave-search.json')))

  const { structuredContent } = await service.search({ count: 5, page: 2 })

  t.strictSame(structuredContent.results, [
    {
      title: 'Grey heron - Wikipedia',
      url: 'https://en.wikipedia.example/wiki/Grey_heron',
      snippet: 'The grey heron is a wading bird & "stands" still; 1 < 2.',
    },
    { title: 'Canal birds', url: 'https://birds.example/canal', snippet: '' },
  ])
  t.equal(structuredContent.nextPage, 3)
  t.strictSame(queryOf(service), { q: 'canal herons', count: '5', offset: '1', safesearch: 'moderate' })
  t.equal(service.asked[0]!.headers['x-subscription-token'], KEY)
})

t.test('web_search: where both are set, the operator’s own service is asked', async t => {
  const service = await searching(t, { '/search': json(fixture('searxng-search.json')) }, url => ({
    SEARCH_URL: `${url}/`,
    BRAVE_API_KEY: KEY,
  }))

  await service.search()

  t.equal(service.asked.length, 1)
  t.equal(service.asked[0]!.headers['x-subscription-token'], undefined)
})

t.test('web_search: no results are an answer', async t => {
  const empty = { query: { original: 'x', more_results_available: false }, type: 'search' }
  const { search } = await withBrave(t, json(JSON.stringify(empty)))

  const { structuredContent, content } = await search()

  t.strictSame(structuredContent, { query: 'canal herons', results: [] })
  t.match(content[0].text, /Nothing was found for "canal herons". Try fewer or other words/)
})

t.test('web_search: nothing beyond the first page is no reason for other words', async t => {
  const { search } = await withSearxng(t, json('{"results":[],"unresponsive_engines":[]}'))

  const { structuredContent, content } = await search({ page: 7 })

  t.strictSame(structuredContent, { query: 'canal herons', results: [] })
  t.equal(content[0].text, 'Nothing more was found for "canal herons".')
})

t.test('web_search: Brave is not asked for more than it gives at once', async t => {
  const service = await withBrave(t, json(fixture('brave-search.json')))

  await service.search({ count: 50 })

  t.match(queryOf(service), { count: '20', offset: '0' })
})

t.test('web_search: a redirect takes the key nowhere, and the network around is closed to it', async t => {
  const elsewhere = await site(t, { '/': json('{}') })
  const caught = await trap(t, ['127.0.0.1'])
  const { search } = await withBrave(t, redirect(`http://127.0.0.1:${caught.port}/`))

  t.match(errorOf(await search()), /is not on the public internet.*the operator can allow it by BRAVE_API_URL/)
  t.equal(caught.touched, 0)
  t.equal(elsewhere.asked.length, 0)
})

t.test('web_search: results whose URL is none of the web are left out', async t => {
  const urls = ['javascript:alert(1)', 'file:///etc/passwd', 7, null, 'no URL', 'https://ok.example/']
  const { search } = await withSearxng(
    t,
    json(JSON.stringify({ results: [null, 'x', ...urls.map(url => ({ url, title: 7 }))] })),
  )

  t.strictSame((await search()).structuredContent.results, [
    { title: 'ok.example', url: 'https://ok.example/', snippet: '' },
  ])
})

const UNUSABLE: [name: string, value: string][] = [
  ['SEARCH_URL', 'search.example.org'],
  ['SEARCH_URL', 'file:///etc/passwd'],
  ['SEARCH_URL', 'https://user:hunter2@search.example.org'],
  ['BRAVE_API_KEY', 'two words'],
]

for (const [name, value] of UNUSABLE) {
  t.test(`web_search: ${value} as ${name} keeps the tool from being served, and the log names it only`, async t => {
    for (const each of ['SEARCH_URL', 'BRAVE_API_KEY']) setting(t, each, each === name ? value : undefined)

    const app = await build(t, SHIPPED)

    t.match(app.logs.text, `${name} must be`)
    t.notMatch(app.logs.text, /hunter2|two words/)
  })
}

t.test('web_search: a client that shows results as Markdown fetches nothing', async t => {
  const image = '![x](https://spy.example/i)'
  const results = [{ url: 'https://x.example/)![y](https://spy.example/i', title: image, content: `a ${image} b` }]
  const service = await withSearxng(t, json(JSON.stringify({ results })))

  const { structuredContent, content } = await service.search({ count: 2 })

  t.strictSame(structuredContent.results, [
    {
      title: '! [x](https://spy.example/i)',
      url: 'https://x.example/)!%5By%5D(https://spy.example/i',
      snippet: 'a ! [x](https://spy.example/i) b',
    },
  ])
  t.notMatch(content[0].text, '![')
})

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ url: `https://herons.example/${index}` }))

t.test('web_search: of what Brave sends unasked nothing is shown', async t => {
  const answer = { type: 'search', query: { more_results_available: true }, web: { results: many(20) } }
  const { search } = await withBrave(t, json(JSON.stringify(answer)))

  const { structuredContent } = await search({ count: 3 })

  t.equal(structuredContent.results.length, 3)
  t.match(structuredContent, { nextPage: 2 })
})

t.test('web_search: a thousand entries of an answer are looked at, and no more', async t => {
  for (const [sent, omitted] of [
    [999, 996],
    [1000, 997],
    [1001, 997],
  ] as const) {
    const { search } = await withSearxng(t, json(JSON.stringify({ results: many(sent) })))

    t.match((await search({ count: 3 })).structuredContent, { results: { length: 3 }, omitted })
  }
})
