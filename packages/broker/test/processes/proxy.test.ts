// A broker whose provider only a proxy reaches. What strangers name is never asked for by the proxy.
import t from 'tap'
import { privateNetwork } from '../../../../test/support/servers/private-network.ts'
import { ask, registered, startBroker } from '../support/broker.ts'
import { leftFor } from '../support/browser.ts'
import { documentHost } from '../support/document-host.ts'

t.test('the provider is asked by way of the proxy, and a document of a client is not', async t => {
  const host = await documentHost(t)
  const { env, asked } = await privateNetwork(t, { 'other.internal': host.origin })
  const broker = await startBroker(t, {
    ...env,
    NODE_USE_ENV_PROXY: '1',
    NODE_EXTRA_CA_CERTS: host.certificate,
    PRIVATE_CLIENT_HOSTS: host.host,
  })

  const { url } = ask(broker, await registered(broker))
  t.ok(leftFor(await broker.browser().authorize(url, { account: 'alice' })).has('code'))
  await fetch(ask(broker, `${host.origin}/client.json`).url, { redirect: 'manual' })

  t.strictSame([...new Set(asked)], [new URL(broker.upstream.issuer).host])
  t.ok(host.connections() > 0, 'the document was asked for directly')
})
