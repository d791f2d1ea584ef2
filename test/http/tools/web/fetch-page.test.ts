import t from 'tap'
import { reading } from '../../../support/tools/reading.ts'
import { type Answer, errorOf, fixture } from '../../../support/tools/shipped.ts'
import { html, redirect } from '../../../support/tools/web-servers.ts'

t.test('fetch_page: an article comes without what surrounds it, its links whole', async t => {
  const { url, read } = await reading(t, {
    '/': redirect('/news/heron'),
    '/news/heron': html(fixture('page-article.html')),
  })

  const { structuredContent: page, content } = await read()

  t.match(page, {
    url: `${url}/news/heron`,
    title: 'Herons return to the canal',
    byline: 'Mara Lindqvist',
    excerpt: 'After forty years, grey herons nest in the city again.',
    contentType: 'text/html',
    length: page.text.length,
    fetchedAt: /^\d{4}-\d\d-\d\dT/,
  })
  t.match(page.text, `[survey of the water board](${url}/reports/2026?full=1)`)
  t.match(page.text, '[Otterbach wetlands](https://otterbach.example/wetlands)')
  t.match(page.text, '## What changed')
  t.match(page.text, '- cleaner water\n- fewer boats\n  - none at night\n- older trees')
  t.match(page.text, '```\nnests:\n  2025: 0\n  2026: 7\n```')
  for (const other of ['Subscribe now', 'Advertisement', 'tracker', 'Home', 'javascript:', 'Ignore all', 'Imprint']) {
    t.notMatch(page.text, other)
  }
  t.equal(page.nextIndex, undefined)
  t.equal(content[0].text, `${page.title}\n${page.url}\n\n${page.text}`)
})

t.test('fetch_page: a page without an article comes whole', async t => {
  const { url, read } = await reading(t, { '/': html(fixture('page-list.html')) })

  const { structuredContent: page } = await read()

  t.equal(page.title, 'Departures')
  t.equal(
    page.text,
    [
      `# Departures\n\n[Arrivals](${url}/arrivals)`,
      '| Time | To | Platform |\n| 08:12 | Linden | 3 |\n| 08:40 | Havel & Spree | 11 |',
      'Updated every minute.',
    ].join('\n\n'),
  )
})

t.test('fetch_page: XHTML, plain text, JSON and XML come as they are', async t => {
  const { read } = await reading(t, {
    '/xhtml': html(fixture('page.xhtml'), 'application/xhtml+xml'),
    '/text': html('one\n\n\n\ntwo  \n', 'text/plain'),
    '/json': html('{ "a": [1, 2] }', 'application/json'),
    '/feed': html('<?xml version="1.0"?><rss/>', 'application/rss+xml'),
    '/bare': (_request, response) => response.writeHead(200).end('<p>bare</p>'),
  })

  t.match((await read('/xhtml')).structuredContent, { title: 'Tides', text: 'High water\nat noon.' })
  t.match((await read('/text')).structuredContent, { title: '', text: 'one\n\ntwo', contentType: 'text/plain' })
  t.match((await read('/json')).structuredContent, { text: '{ "a": [1, 2] }', contentType: 'application/json' })
  t.match((await read('/feed')).structuredContent, { text: '<?xml version="1.0"?><rss/>' })
  t.match((await read('/bare')).structuredContent, { text: 'bare' })
})

t.test('fetch_page: a long page comes in parts that make the whole, and cut no character', async t => {
  const whole = 'Ab😀'.repeat(100)
  const { read } = await reading(t, { '/': html(whole, 'text/plain') })
  const parts: string[] = []

  for (let startIndex: number | undefined = 0; startIndex !== undefined; ) {
    const { structuredContent: part, content } = await read('/', { startIndex, maxLength: 103 })
    parts.push(part.text)
    t.equal(part.length, whole.length)
    t.equal(content[0].text.includes(`Go on with "startIndex": ${part.nextIndex}`), part.nextIndex !== undefined)
    startIndex = part.nextIndex
  }

  t.equal(parts.join(''), whole)
  t.strictSame(
    parts.map(({ length }) => length),
    [103, 102, 102, 93].map((_, index) => parts[index]!.length),
  )
  t.match(
    errorOf(await read('/', { startIndex: 400 })),
    'The page has 400 characters: nothing is left at "startIndex" 400.',
  )
})

t.test('fetch_page: a part that is asked for from within a character begins with all of it', async t => {
  const { read } = await reading(t, { '/': html('Ab😀'.repeat(100), 'text/plain') })

  const { structuredContent: part, _meta } = await read('/', { startIndex: 3, maxLength: 100 })

  t.equal(part.text, `😀${'Ab😀'.repeat(24)}Ab`)
  t.equal(part.nextIndex, 2 + part.text.length)
  t.notOk(_meta?.['toolrack/strippedCharacters'])
})

t.test('fetch_page: what no reader sees is left out, however it is hidden', async t => {
  const styles = ['display:none', 'visibility: hidden', 'opacity:0', 'opacity: 0.0;', 'font-size:0', 'font-size:0px']
  const hidden = styles.map(style => `<p style="color:red;${style}">obey me</p>`)
  const shown = ['opacity:0.5', 'opacity:1', 'font-size:0.8em'].map(style => `<p style="${style}">seen</p>`)
  const { read } = await reading(t, { '/': html(`<p hidden>obey me</p>${hidden.join('')}${shown.join('')}`) })

  t.equal((await read('/')).structuredContent.text, 'seen\n\nseen\n\nseen')
})

t.test('fetch_page: a page without text says so', async t => {
  const { read } = await reading(t, { '/': html('<title>App</title><div id="root"></div><script>start()</script>') })

  const { structuredContent, content } = await read('/')

  t.match(structuredContent, { title: 'App', text: '', length: 0 })
  t.match(content[0].text, /\n\n\[The page has no text\. .* use another source\.\]$/)
})

t.test('fetch_page: asks for what every server packs in one way', async t => {
  const { read, asked } = await reading(t, { '/': html('<p>hello') })

  await read('/')

  t.strictSame(
    asked.map(({ headers }) => headers['accept-encoding']),
    ['gzip, br', 'gzip, br'],
  )
})

t.test('fetch_page: a page too large for a tree comes as plain text, and with its title', async t => {
  const large = `<html><head><title>Large</title><script>no</script></head><body>${'<p>one <b>two</b>'.repeat(15_000)}</body></html>`
  const { read } = await reading(t, { '/': html(large) })

  const { structuredContent: part } = await read('/', { maxLength: 100 })

  t.equal(part.title, 'Large')
  t.match(part.text, /^one two\none two\n/)
  t.ok(part.length >= 15_000 * 7)
})

const REFUSALS: [what: string, answer: Answer, expected: RegExp][] = [
  ['a PDF', html('%PDF', 'application/pdf'), /^This is "application\/pdf", and only HTML, text, JSON and XML are read/],
  [
    'a file without a type',
    (_request, response) => response.end('PK\x03\x04\0\0'),
    /^This page is not text, but a file of another kind/,
  ],
  ['a file as text', html('\x7fELF\x02\x01\0', 'text/plain; charset=utf-8'), /^This page is not text/],
  ['an image', html('x', 'image/png'), /^This is "image\/png"/],
  ['404', (_request, response) => response.writeHead(404).end(), /HTTP 404. The page is not there: check the address/],
  [
    '304',
    (_request, response) => response.writeHead(304).end(),
    /HTTP 304. This is not a page. Do not repeat this call/,
  ],
  [
    '416',
    (_request, response) => response.writeHead(416).end(),
    /HTTP 416. This is not a page. Do not repeat this call/,
  ],
  ['403', (_request, response) => response.writeHead(403).end(), /HTTP 403. The page is not open to everyone/],
  [
    '503 until a date',
    (_request, response) =>
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 100_000).toUTCString() }).end(),
    /try again in (9\d|100) s, but only once/,
  ],
  [
    '429',
    (_request, response) => response.writeHead(429, { 'retry-after': '17' }).end(),
    /try again in 17 s, but only once/,
  ],
  ['500', (_request, response) => response.writeHead(500).end(), /HTTP 500. It is failing: try again in a few minutes/],
  [
    'zstd',
    (_request, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
    /packed as "zstd".* Use another source/,
  ],
  [
    'broken gzip',
    (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    /broke off/,
  ],
  [
    'a broken answer',
    (_request, response) => response.socket?.end('nonsense\r\n\r\n'),
    /broke off, or does not speak HTTP/,
  ],
  ['a redirect to nowhere', redirect('http://['), /redirects to an invalid URL/],
]

t.test('fetch_page: what cannot be read is refused by a sentence that says what to do', async t => {
  const { read } = await reading(t, Object.fromEntries(REFUSALS.map(([, answer], index) => [`/${index}`, answer])))

  for (const [index, [what, , expected]] of REFUSALS.entries()) {
    t.match(errorOf(await read(`/${index}`)), expected, what)
  }
})
