// Redirects and names that are public at first and lead inwards later.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { build, callTool } from '../../support/app.ts'
import { errorOf, SHIPPED, setting } from '../../support/tools/shipped.ts'
import {
  allowListOf,
  asking,
  attempts,
  failureOf,
  html,
  nameServer,
  redirect,
  site,
  trap,
  webClient,
} from '../../support/tools/web-servers.ts'

const INWARDS = [
  'http://127.0.0.1:{port}/',
  'http://[::1]:{port}/',
  'http://localhost:{port}/',
  'http://2130706433:{port}/',
]
const FORBIDDEN = [
  ...INWARDS,
  'http://169.254.169.254/latest/',
  '//169.254.169.254/',
  'http://[fd00:ec2::254]/',
  'http://metadata.google.internal/',
  'http://user:secret@93.184.216.34/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/',
  'data:text/html,hello',
]

for (const status of [301, 302, 303, 307, 308]) {
  t.test(`G4: a ${status} inwards is refused, and nothing tries to connect`, async t => {
    const caught = await trap(t, ['127.0.0.1', '::1'])
    const urls = FORBIDDEN.map(url => url.replace('{port}', String(caught.port)))
    const answers = Object.fromEntries(urls.map((url, index) => [`/${index}`, redirect(url, status)]))
    const { url, host } = await site(t, answers)
    const client = webClient({ allow: allowListOf('FETCH_ALLOW', host) })
    const seen = attempts(t)

    for (const [index, target] of urls.entries()) {
      const failure = await failureOf(client.get(`${url}/${index}`, asking()))

      t.match(failure, /^ToolError: .*(not on the public internet|Only http: and https:|user name)/, target)
    }
    t.equal(seen.length, urls.length, 'only the site itself was connected to')
    t.equal(caught.touched, 0)
  })
}

t.test('G4: the shipped tool follows no redirect and no meta refresh inwards', async t => {
  const caught = await trap(t, ['127.0.0.1', '::1'])
  const inwards = `http://127.0.0.1:${caught.port}/`
  const { url, host } = await site(t, {
    '/302': redirect(inwards),
    '/robots/robots.txt': redirect(inwards),
    '/meta': html(`<html><head><meta http-equiv="Refresh" content="0; url=${inwards}"></head><body></body></html>`),
  })
  setting(t, 'FETCH_ALLOW', host)
  const app = await build(t, SHIPPED)

  t.match(errorOf(await callTool(app, 'fetch_page', { url: `${url}/302` })), /is not on the public internet/)
  const meta = await callTool(app, 'fetch_page', { url: `${url}/meta` })

  t.equal(meta.structuredContent.text, `[This page sends its readers on to ${inwards}, which was not followed.]`)
  t.equal(caught.touched, 0)
})

t.test('G4: a robots.txt that leads inwards is not followed', async t => {
  const caught = await trap(t, ['127.0.0.1'])
  const { url, host } = await site(t, {
    '/robots.txt': redirect(`http://127.0.0.1:${caught.port}/`),
    '/': html('hello'),
  })
  setting(t, 'FETCH_ALLOW', host)

  const result = await callTool(await build(t, SHIPPED), 'fetch_page', { url })

  t.match(errorOf(result), /is not on the public internet/)
  t.equal(caught.touched, 0)
})

t.test('G4: a name that is public first and private then is refused at the second look, TTL 0', async t => {
  const { url, port, asked } = await site(t, { '/': redirect('/next'), '/next': html('inside') })
  const caught = await trap(t, ['127.0.0.2'], port)
  const names = await nameServer(t, (_name, times) => [times === 0 ? '127.0.0.1' : '127.0.0.2'])
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', new URL(url).host), resolve: names.resolve })

  const failure = await failureOf(client.get(`http://www.example.org:${port}/`, asking()))

  t.match(failure, /"www.example.org" is not on the public internet/)
  t.strictSame(names.resolved, ['www.example.org', 'www.example.org'], 'once for each hop')
  t.equal(asked.length, 1)
  t.equal(caught.touched, 0)
})

/** The same port on several addresses, each answering with its own. */
async function onEach(t: Test, addresses: readonly string[]): Promise<number> {
  let port = 0
  for (const address of addresses) {
    const server = http.createServer((_request, response) => response.end(address)).listen(port, address)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    t.teardown(() => server.close())
  }
  return port
}

t.test('G4: a name is resolved once, and that very address is connected to', async t => {
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const port = await onEach(t, addresses)
  const names = await nameServer(t, (_name, times) => [addresses[times] ?? '127.0.0.9'])
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', '127.0.0.0/8'), resolve: names.resolve })

  for (const address of addresses) {
    const { body } = await client.get(`http://www.example.org:${port}/`, asking())

    t.equal(body.toString(), address)
  }
  t.strictSame(
    names.queries.filter(query => query.endsWith('4')),
    Array(3).fill('www.example.org 4'),
  )
  t.strictSame(names.resolved.length, 3)
})

t.test('G4: 20 redirects are followed, 21 are refused', async t => {
  const chain = Object.fromEntries(Array.from({ length: 21 }, (_, left) => [`/${left + 1}`, redirect(`/${left}`)]))
  const { url, host, asked } = await site(t, { ...chain, '/0': html('arrived') })
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', host) })

  const { body } = await client.get(`${url}/20`, asking())
  const failure = await failureOf(client.get(`${url}/21`, asking()))

  t.equal(body.toString(), 'arrived')
  t.match(failure, /More than 20 redirects/)
  t.equal(asked.length, 42)
})

const SECRETS = { authorization: 'Bearer secret', cookie: 'session=secret', 'x-subscription-token': 'secret' }
const secretsOf = (headers: object) =>
  Object.fromEntries(Object.keys(SECRETS).map(name => [name, Reflect.get(headers, name)]))
const NONE = { authorization: undefined, cookie: undefined, 'x-subscription-token': undefined }

t.test('G4: credentials stay with their origin, and do not come back to it', async t => {
  const back: { url?: string } = {}
  const other = await site(t, { '/there': (request, response) => redirect(`${back.url}/again`)(request, response) })
  const home = await site(t, {
    '/': redirect('/here'),
    '/here': redirect(`${other.url}/there`),
    '/again': html('done'),
  })
  back.url = home.url
  const client = webClient({ allow: allowListOf('FETCH_ALLOW', `${home.host},${other.host}`) })

  await client.get(home.url, { ...asking(), headers: { accept: 'text/html' }, credentials: SECRETS })

  t.strictSame(
    home.asked.map(({ path, headers }) => [path, secretsOf(headers)]),
    [
      ['/', SECRETS],
      ['/here', SECRETS],
      ['/again', NONE],
    ],
  )
  t.strictSame(secretsOf(other.asked[0]!.headers), NONE)
  t.equal(other.asked[0]!.headers['accept'], 'text/html')
})

t.test('G4: a cookie that is set is not sent back', async t => {
  const { url, host, asked } = await site(t, {
    '/': (_request, response) => response.writeHead(302, { location: '/next', 'set-cookie': 'a=b; Path=/' }).end(),
    '/next': html('done'),
  })

  await webClient({ allow: allowListOf('FETCH_ALLOW', host) }).get(url, asking())

  t.equal(asked[1]!.headers['cookie'], undefined)
})
