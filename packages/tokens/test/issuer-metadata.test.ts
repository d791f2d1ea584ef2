// Where the metadata of an issuer may lead.
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { isSafeUrl } from '../../../src/config/addresses.ts'
import { findEndpoint } from '../src/issuer-metadata.ts'

function find(t: Test, issuer: string, jwks_uri: string): Promise<string> {
  const { mock: given } = mock.method(globalThis, 'fetch', async () => Response.json({ issuer, jwks_uri }))
  t.teardown(() => given.restore())
  return findEndpoint({ issuer, endpoint: 'jwks_uri', mayAsk: isSafeUrl, signal: AbortSignal.timeout(60_000) })
}

t.test('an issuer elsewhere leads to nothing on this machine without TLS', async t => {
  await t.rejects(find(t, 'https://as.example', 'http://127.0.0.1:9200/'), {
    message: /it has no jwks_uri that is an https URL/,
  })
})

t.test('to another host over https, and from this machine to itself', async t => {
  t.equal(await find(t, 'https://as.example', 'https://keys.example/jwks'), 'https://keys.example/jwks')
  t.equal(await find(t, 'http://localhost:8080', 'http://localhost:8080/jwks'), 'http://localhost:8080/jwks')
})
