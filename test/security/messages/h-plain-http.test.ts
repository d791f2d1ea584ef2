// Letter H: plain HTTP, by pages of other sites and by hostile requests.
import fc from 'fast-check'
import t from 'tap'
import { defineTool, file } from '../../../src/index.ts'
import { build, listening } from '../../support/app.ts'
import { ALICE, guarded, OTHERS } from '../../support/auth/guarded.ts'
import { PROBLEM, plain } from '../../support/plain.ts'

let runs = 0
const acts = defineTool({
  name: 'acts',
  inputSchema: { type: 'object', properties: { a: { type: 'object' }, n: { type: 'number' } } },
  handler: args => `run ${++runs} ${JSON.stringify(args)}`,
})

t.test('H1: a form of a page of another site is refused, and runs nothing', async t => {
  const app = await build(t, { tools: [acts] })
  runs = 0
  const attacks: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-site': 'same-site' },
    { host: 'evil.example' },
    { host: 'evil.example:3000', origin: 'http://evil.example:3000', 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of attacks) {
    for (const [url, call] of [
      ['/tools/acts', { form: 'n=1' }],
      ['/tools/acts', { method: 'POST' }],
      ['/tools', {}],
      ['/openapi.json', {}],
      ['/tools/tasks/x', { method: 'DELETE' }],
    ] as const) {
      const reply = await plain(app, url, { ...call, headers })
      t.strictSame([reply.status, reply.type], [403, PROBLEM], `${url} ${JSON.stringify(headers)}`)
      t.notOk('access-control-allow-origin' in reply.headers)
    }
  }
  const encrypted = await plain(app, '/tools/acts', { json: { n: 1 }, headers: { 'content-type': 'text/plain' } })
  t.equal(encrypted.status, 415, 'JSON that a form of a page can send')
  t.equal(runs, 0)
})

t.test('H1: the own page, a trusted origin and what is no browser are served', async t => {
  const app = await build(t, { tools: [acts], allowedOrigins: ['https://app.example'] })

  for (const headers of [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
  ] as Record<string, string>[])
    t.equal((await plain(app, '/tools/acts', { form: 'n=1', headers })).status, 200, JSON.stringify(headers))
  const preflight = await plain(app, '/tools/acts', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  t.strictSame([preflight.status, preflight.headers['access-control-allow-origin']], [204, 'https://app.example'])
  t.match(preflight.headers['access-control-allow-headers'], /Idempotency-Key, Prefer/)
})

t.test('H2: forms with prototypes, bombs and broken text are refused', async t => {
  const app = await build(t, { tools: [acts] })
  const many = Array.from({ length: 1001 }, (_, n) => `a${n}=1`).join('&')
  const cases: [string, number][] = [
    ['__proto__=1', 400],
    ['a[__proto__][polluted]=1', 400],
    ['a={"__proto__":{"polluted":1}}', 400],
    [`a=${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 400],
    [`a${'[b]'.repeat(20)}=1`, 400],
    [many, 400],
    ['n=%', 400],
    ['n=%c0%80', 400],
    ['n=1&n=2', 422],
    ['a=1&a[b]=2', 422],
    ['n=1e999', 422],
    ['n=9007199254740993', 422],
  ]
  for (const [form, status] of cases) {
    const reply = await plain(app, '/tools/acts', { form })
    t.strictSame([reply.status, reply.type], [status, PROBLEM], form.slice(0, 60))
  }
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

t.test('H2: whatever a form holds, the answer is a result or a refusal', async t => {
  const app = await build(t, { tools: [acts], rateLimit: { max: 100_000 } })
  const part = fc.oneof(
    fc.constantFrom('a', 'n', '[', ']', '.', '%', '&', '=', '+', '{', '"', '\u0000', '[]', '[0]'),
    fc.string(),
  )

  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 20 }), async parts => {
      const { status } = await plain(app, '/tools/acts', { form: parts.join('') })
      return [200, 400, 422].includes(status)
    }),
    { numRuns: 500 },
  )
})

t.test('H3: names of any kind lead to a tool or to 404, and tell nothing of hidden ones', async t => {
  const hidden = defineTool({ name: 'hidden_tool', visible: () => false, handler: () => 'x' })
  const { port } = await listening(t, { tools: [acts, hidden] })

  for (const name of [
    'hidden_tool',
    'hidden_tol',
    '%zz',
    '%',
    '%ff',
    '%00',
    'acts%2f',
    '%2e%2e%2fmcp',
    'constructor',
    'a'.repeat(5000),
    'acts/answers/x',
  ]) {
    const reply = await fetch(`http://127.0.0.1:${port}/tools/${name}`, { method: 'POST' })
    const text = await reply.text()
    t.strictSame([reply.status, reply.headers.get('content-type')?.split(';', 1)[0]], [404, PROBLEM], name.slice(0, 40))
    t.notMatch(text, /did you mean hidden|inputSchema/)
  }
})

t.test('H4: tasks, files and questions of another caller are not found', async t => {
  const long = defineTool({
    name: 'long',
    task: 'required',
    handler: (_args, { signal }) => new Promise(resolve => signal.addEventListener('abort', resolve)),
  })
  const large = defineTool({ name: 'large', handler: () => file(Buffer.alloc(100_000), { name: 'a.bin' }) })
  const app = await guarded(t, { plainHttp: true, tools: [long, large], tasks: { inlineMs: 0 } })
  const task = (await plain(app, '/tools/long', { method: 'POST', headers: ALICE })).body.url
  const kept = (await plain(app, '/tools/large', { method: 'POST', headers: ALICE })).body.content[0].url

  for (const headers of Object.values(OTHERS)) {
    t.equal((await plain(app, task, { headers })).status, 404)
    t.equal((await plain(app, task, { method: 'DELETE', headers })).status, 404)
    t.equal((await plain(app, kept, { headers })).status, 404)
  }
  t.equal((await plain(app, task, { headers: ALICE })).status, 202)
  t.equal((await plain(app, kept, { headers: ALICE })).bytes.length, 100_000)
  t.equal((await plain(app, task, { method: 'DELETE', headers: ALICE })).status, 204)
})

t.test('H5: files of a tool are saved, and run nowhere', async t => {
  const pages = ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'text/xml']
  const save = (mimeType: string) => file('<svg onload=alert(1)>', { name: 'a".html', mimeType })
  const tools = pages.map((mimeType, n) => defineTool({ name: `page-${n}`, handler: () => save(mimeType) }))
  const app = await build(t, { tools })

  for (const [n, accept] of pages.entries()) {
    const { status, headers } = await plain(app, `/tools/page-${n}`, { method: 'POST', headers: { accept } })
    t.equal(status, 200)
    t.match(headers, {
      'content-disposition': /^attachment; filename="a\\"\.html"$/,
      'content-security-policy': /default-src 'none'.*sandbox/,
      'x-content-type-options': 'nosniff',
    })
  }
})
