// Servers MUST validate all resource URIs, and MUST sanitize file paths: spec 2026-07-28, server/resources,
// "Security Considerations". In both eras, on the wire.
import t from 'tap'
import { defineResource } from '../../../src/index.ts'
import { build, call, listening, stream } from '../../support/app.ts'
import { session } from '../../support/client/app-client.ts'

const handed = defineResource({
  uriTemplate: 'a://t/{id}',
  name: 'segment',
  handler: (_uri, variables) => JSON.stringify(variables),
})
const rest = defineResource({ ...handed, uriTemplate: 'a://r/{+path}', name: 'rest' })
const resources = [handed, rest]

// No header can hold some of these as they are.
const encoded = (uri: string) => ({ 'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=` })
const readBoth = async (t: Parameters<typeof build>[0], uri: string) => {
  const modern = await call(await build(t, { resources }), 'resources/read', { uri }, { headers: encoded(uri) })
  const legacy = await (await session(t, { resources })).call('resources/read', { uri })
  return { modern, legacy }
}

const NO_URIS = [
  '',
  'x',
  'not a uri',
  'a://t/a b',
  'a://t/a\nb',
  'a://t/ü',
  'a://t/a\u001b[31m',
  'a://t/%',
  'a://t/%zz',
]

for (const uri of NO_URIS) {
  t.test(`resources/read: ${JSON.stringify(uri)} is no URI, and invalid params`, async t => {
    const { modern, legacy } = await readBoth(t, uri)

    t.match(modern, { status: 400, error: { code: -32602, message: 'Invalid params: uri must match format "uri"' } })
    t.match(legacy, { status: 200, error: { code: -32602, message: 'Invalid params: uri must match format "uri"' } })
  })

  t.test(`resources/subscribe: ${JSON.stringify(uri)} is no URI, and invalid params`, async t => {
    const client = await session(t, { resources })

    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      t.match(await client.call(method, { uri }), { status: 200, error: { code: -32602, message: /format "uri"/ } })
  })
}

const NO_RESOURCES = [
  'a://t/..',
  'a://t/%2e%2E',
  'a://t/.',
  'a://t/a%2Fb',
  'a://t/..%2f..%2fb',
  'a://t/a%5Cb',
  'a://t/%00',
  'a://t/a%0Ab',
  'a://t/%C2%9B31m',
  'a://r/../b',
  'a://r/a/../../b',
  'a://r/a/..',
  'a://r/./a',
  'a://r/a%2F..%2F..%2Fb',
  'a://r/a%5c..%5C..%5cb',
  'a://r/a%00.txt',
  'a://r/%1b%5B31m',
]

for (const uri of NO_RESOURCES) {
  t.test(`resources/read: ${uri} reaches no handler, and is an unknown resource`, async t => {
    const { modern, legacy } = await readBoth(t, uri)

    t.match(modern, { status: 200, error: { code: -32602, data: { uri } } })
    t.match(legacy, { status: 200, error: { code: -32002, data: { uri } } })
  })
}

const RESOURCES: [uri: string, variables: object][] = [
  ['a://t/1', { id: '1' }],
  ['a://t/%C3%BC%20b', { id: 'ü b' }],
  ['a://t/...', { id: '...' }],
  ['a://t/.a..b', { id: '.a..b' }],
  ['a://t/100%25', { id: '100%' }],
  ['a://t/%252e%252e', { id: '%2e%2e' }],
  ['a://r/a/b.txt', { path: 'a/b.txt' }],
  ['a://r/a%2Fb', { path: 'a/b' }],
  ['a://r//a/', { path: '/a/' }],
  ['a://r/..a/b../...', { path: '..a/b../...' }],
]

for (const [uri, variables] of RESOURCES) {
  t.test(`resources/read: ${uri} is read, by the URI that was asked for`, async t => {
    for (const { result } of Object.values(await readBoth(t, uri)))
      t.strictSame(result.contents, [{ uri, text: JSON.stringify(variables) }])
  })
}

t.test('subscriptions/listen: URIs are honoured as they were asked for', async t => {
  const { url } = await listening(t, { resources })
  const resourceSubscriptions = ['a://t/1', 'a://r/%C3%BC/b']

  const listener = await stream(t, url, 'subscriptions/listen', { notifications: { resourceSubscriptions } })

  t.strictSame((await listener.next(0)).params.notifications, { resourceSubscriptions })
})

t.test('subscriptions/listen: what is no URI in a filter is invalid params', async t => {
  const app = await build(t, { resources })

  for (const uri of NO_URIS) {
    const notifications = { resourceSubscriptions: ['a://t/1', uri] }
    const message = /notifications\.resourceSubscriptions\.1 must match format "uri"/
    const reply = await call(app, 'subscriptions/listen', { notifications })
    t.match(reply, { status: 400, error: { code: -32602, message } }, JSON.stringify(uri))
  }
})

t.test('resources/read: contents whose URI, type, bytes or metadata are malformed are not delivered', async t => {
  const contents: [over: object, fault: RegExp][] = [
    [{ uri: 'a://b/ c' }, /contents\.0\.uri must match format "uri"/],
    [{ mimeType: 'text' }, /contents\.0\.mimeType must match pattern/],
    [{ text: undefined, blob: 'abc' }, /contents\.0\.blob is not Base64/],
    [{ text: undefined, blob: '-_-_' }, /contents\.0\.blob must match pattern/],
    [{ text: undefined }, /contents\.0\.text is required/],
    [{ _meta: { 'bad key': 1 } }, /contents\.0\._meta\["bad key"\]/],
    [{ _meta: { 'io.modelcontextprotocol/evil': 1 } }, /contents\.0\._meta.*is reserved for MCP/],
  ]
  const uris = contents.map((_, index) => `a://${index}`)
  const odd = defineResource({
    uriTemplate: 'a://{index}',
    name: 'odd',
    handler: (uri, { index }) => ({ contents: [{ uri, text: 'x', ...contents[Number(index)]![0] }] }),
  })
  const client = await session(t, { resources: [odd] })

  for (const [index, uri] of uris.entries()) {
    const message = contents[index]![1]
    t.match(await call(client.app, 'resources/read', { uri }), { error: { code: -32603, message } }, uri)
    t.match(await client.call('resources/read', { uri }), { error: { code: -32603, message } }, uri)
  }
})
