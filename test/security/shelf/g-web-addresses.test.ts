// URLs that lead inwards. Nothing may even try to connect.
import t, { type Test } from 'tap'
import type { Definition } from '../../../src/registry/catalog.ts'
import { type App, build, callTool } from '../../support/app.ts'
import { errorOf, SHIPPED, toolModule } from '../../support/tools/shipped.ts'
import {
  asking,
  attempts,
  failureOf,
  nameServer,
  PUBLIC_ONLY,
  trap,
  webClient,
} from '../../support/tools/web-servers.ts'

type FetchPage = typeof import('../../../tools/fetch-page/index.ts')

const PORT = '{port}'

/** Led to the trap, were they followed. */
const LOOPBACK = `
  127.0.0.1 127.1 127.0.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.0.0.1. 127.255.255.254 0.0.0.0 0 127.000.000.001
  １２７.０.０.１ 127。0。0。1 %31%32%37.0.0.1 ①②⑦.0.0.1 localhost LOCALHOST localhost. ｌｏｃａｌｈｏｓｔ loc%61lhost app.localhost
  a.b.localhost. [::1] [0:0:0:0:0:0:0:1] [::ffff:7f00:1] [::ffff:127.0.0.1] [::127.0.0.1] [::] [::ffff:0.0.0.0] [::ffff:0:127.0.0.1]
  localhost.. .localhost 127.0.0.1\\@example.org ⓛocalhost local\u200bhost [::ffff:127.0.0.1%25lo]
`
const words = (text: string) => text.trim().split(/\s+/)

const ELSEWHERE = words(`
  http://169.254.169.254/latest/meta-data/ http://[::ffff:169.254.169.254]/ http://[fd00:ec2::254]/ http://2852039166/
  http://169.254.170.2/ http://168.63.129.16/ http://100.100.100.200/ http://100.64.0.1/ http://100.127.255.254/
  http://192.0.0.192/ http://10.0.0.1/ http://172.16.0.1/ http://172.31.255.255/ http://192.168.1.1/ http://198.18.0.1/
  http://198.51.100.7/ http://203.0.113.7/ http://192.0.2.1/ http://192.88.99.1/ http://224.0.0.1/ http://240.0.0.1/
  http://255.255.255.255/ http://[64:ff9b::7f00:1]/ http://[64:ff9b:1::7f00:1]/ http://[2002:7f00:1::]/ http://[2001:0:7f00:1::]/
  http://[2001:db8::1]/ http://[fe80::1]/ http://[fec0::1]/ http://[fd12:3456::1]/ http://[ff02::1]/ http://[100::1]/
  https://10.0.0.1/ https://[fd00::1]/ http://metadata.google.internal/computeMetadata/v1/ http://metadata/ http://metadata.google.internal./
  http://redis:6379/ http://kubernetes.default.svc/ http://api.cluster.local/ http://printer.local/ http://router.lan/
  http://router.home.arpa/ http://db.corp/ http://user@93.184.216.34/ http://user:secret@93.184.216.34/ http://:secret@93.184.216.34/
  http://example.org@127.0.0.1/ http://93.184.216.34:22/ http://93.184.216.34:25/ https://93.184.216.34:6379@10.0.0.1/
  file:///etc/passwd gopher://127.0.0.1:6379/_INFO data:text/html,hello ftp://93.184.216.34/ ws://93.184.216.34/ blob:http://x
  javascript:alert(1) view-source:http://127.0.0.1/ dict://127.0.0.1/ //127.0.0.1/ http:// http://[::1 http://[fe80::1%25eth0]/
`)

const URLS = [...words(LOOPBACK).map(host => `http://${host}:${PORT}/x`), `https://127.0.0.1:${PORT}/`, ...ELSEWHERE]

/** The shipped tool in this thread, where each attempt to connect is seen. */
async function serveHere(t: Test): Promise<App> {
  const { default: fetchPage } = await toolModule<FetchPage>('fetch-page/index.ts')
  return build(t, { tools: [{ ...fetchPage, isolate: undefined, rateLimit: undefined } as Definition] })
}

t.test(`G3: ${URLS.length} URLs that lead inwards are refused, and nothing tries to connect`, async t => {
  const caught = await trap(t, ['127.0.0.1', '::1'])
  const app = await serveHere(t)
  const seen = attempts(t)

  for (const url of URLS) {
    const result = await callTool(app, 'fetch_page', { url: url.replace(PORT, String(caught.port)) })

    t.match(
      errorOf(result),
      /is not on the public internet|Only http: and https:|is no URL|user name|another protocol/,
      url,
    )
    t.strictSame(seen, [], `${url} connects to nothing`)
  }
  t.ok(URLS.length >= 40)
  t.equal(caught.touched, 0)
})

t.test('G3: the tool as it is shipped, in its worker, touches no trap either', async t => {
  const caught = await trap(t, ['127.0.0.1', '::1'])
  const app = await build(t, SHIPPED)

  for (const host of words(LOOPBACK)) {
    const result = await callTool(app, 'fetch_page', { url: `http://${host}:${caught.port}/` })

    t.match(errorOf(result), /is not on the public internet|is no URL/, host)
  }
  t.equal(caught.touched, 0)
})

t.test('G3: the trap and the count of attempts see a client that is not guarded', async t => {
  const caught = await trap(t, ['127.0.0.1'])
  const seen = attempts(t)

  await t.rejects(fetch(`http://127.0.0.1:${caught.port}/`))

  t.equal(caught.touched, 1)
  t.equal(seen.length, 1)
})

const NAMES: [name: string, addresses: string[]][] = [
  ['loopback', ['127.0.0.1']],
  ['loopback-v6', ['::1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['private', ['10.0.0.1']],
  ['metadata', ['169.254.169.254']],
  ['metadata-v6', ['fd00:ec2::254']],
  ['nat64', ['64:ff9b::7f00:1']],
  ['6to4', ['2002:7f00:1::1']],
  ['compatible', ['::7f00:1']],
  ['public and private', ['93.184.216.34', '10.0.0.1']],
  ['private and public', ['10.0.0.1', '93.184.216.34']],
  ['a private AAAA beside a public A', ['93.184.216.34', 'fd00::1']],
  ['a private A beside a public AAAA', ['2606:4700::1111', '127.0.0.1']],
  ['the last of many', [...Array.from({ length: 20 }, (_, index) => `93.184.216.${index}`), '127.0.0.1']],
]

for (const [what, addresses] of NAMES) {
  t.test(`G3: a name that leads to ${what} is refused, and nothing tries to connect`, async t => {
    const { resolve, resolved } = await nameServer(t, () => addresses)
    const client = webClient({ allow: PUBLIC_ONLY, resolve })
    const seen = attempts(t)

    const failure = await failureOf(client.get('http://www.example.org/', asking()))

    t.match(failure, /^ToolError: "www.example.org" is not on the public internet/)
    t.strictSame(seen, [])
    t.strictSame(resolved, ['www.example.org'])
  })
}

t.test('G3: names of the network around are refused before they are looked up', async t => {
  const { resolve, resolved } = await nameServer(t, () => ['93.184.216.34'])
  const client = webClient({ allow: PUBLIC_ONLY, resolve })

  for (const name of ['metadata', 'localhost', 'a.localhost', 'metadata.google.internal', 'db.local.', 'x.svc']) {
    t.match(await failureOf(client.get(`http://${name}/`, asking())), /is not on the public internet/, name)
  }
  for (const name of ['localhost..', 'db.local..', 'db.corp.%2e', 'a..corp', '.corp', '.', '..']) {
    t.match(await failureOf(client.get(`http://${name}/`, asking())), /is no URL/, name)
  }
  t.strictSame(resolved, [])
})
