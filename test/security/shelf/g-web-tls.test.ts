// A site that is not the one it claims to be. Nothing may be sent to it.
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { type Certificate, certificate } from '../../support/tools/certificate.ts'
import { setting } from '../../support/tools/shipped.ts'
import { allowListOf, asking, failureOf, redirect, site, webClient } from '../../support/tools/web-servers.ts'

const NAME = 'www.example.org'
const UNTRUSTED = /has a certificate that cannot be trusted, so nothing was asked of it/

/** A site on 127.0.0.1 with this certificate, and a client for which every name leads there. */
async function served(t: Test, { key, cert }: Certificate) {
  const asked: (string | undefined)[] = []
  const server = https.createServer({ key, cert }, (request, response) => {
    asked.push(request.headers.host)
    response.end('hello')
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  return { port, asked, client: webClient({ allow: allowListOf('FETCH_ALLOW', '127.0.0.1'), resolve }) }
}

/** Counts among the authorities until the test ends. */
function trust(t: Test, { cert }: Certificate): void {
  const before = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...before, cert])
  t.teardown(() => tls.setDefaultCACertificates(before))
}

t.test('G4: a certificate is for the name that was asked for, wherever that leads', async t => {
  const good = certificate(NAME)
  trust(t, good)
  const { client, port, asked } = await served(t, good)

  const { body } = await client.get(`https://${NAME}:${port}/`, asking())

  t.equal(body.toString(), 'hello')
  t.strictSame(asked, [`${NAME}:${port}`])
})

t.test('G4: a certificate for an address is one', async t => {
  const good = certificate('127.0.0.1')
  trust(t, good)
  const { client, port } = await served(t, good)

  t.equal((await client.get(`https://127.0.0.1:${port}/`, asking())).body.toString(), 'hello')
})

const BAD: [what: string, certificate: Certificate, isTrusted: boolean][] = [
  ['signs itself', certificate(NAME), false],
  ['is for another name', certificate('www.example.com'), true],
  ['is for the address, not the name', certificate('127.0.0.1'), true],
  ['is for names below', certificate(`*.${NAME}`), true],
  ['has ended', certificate(NAME, -1), true],
]

for (const [what, bad, isTrusted] of BAD) {
  t.test(`G4: where a certificate ${what}, nothing is asked`, async t => {
    if (isTrusted) trust(t, bad)
    const { client, port, asked } = await served(t, bad)

    const failure = await failureOf(client.get(`https://${NAME}:${port}/`, asking()))

    t.match(failure, /^ToolError: /)
    t.match(failure, UNTRUSTED)
    t.strictSame(asked, [])
  })
}

t.test('G4: an environment that switches the check off does not switch it off here', async t => {
  setting(t, 'NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const { client, port, asked } = await served(t, certificate(NAME))

  t.match(await failureOf(client.get(`https://${NAME}:${port}/`, asking())), UNTRUSTED)
  t.strictSame(asked, [])
})

t.test('G4: a redirect to a certificate that cannot be trusted ends there', async t => {
  const { client, port, asked } = await served(t, certificate(NAME))
  const start = await site(t, { '/': redirect(`https://${NAME}:${port}/`) })

  t.match(await failureOf(client.get(start.url, asking())), UNTRUSTED)
  t.strictSame(asked, [])
})

t.test('G4: a site that speaks no TLS is not told as one whose certificate is bad', async t => {
  const { client } = await served(t, certificate(NAME))
  const plain = await site(t, {})

  const failure = await failureOf(client.get(plain.url.replace('http:', 'https:'), asking()))

  t.match(failure, /does not speak TLS as it should.* Check whether its URL begins with http:/)
  t.strictSame(plain.asked, [])
})
