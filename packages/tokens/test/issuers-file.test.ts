// The examples of the documentation are entries of the file of issuers as they stand.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readOptions } from '../../../src/config/read-options.ts'
import { isObject } from '../../../src/protocol/messages.ts'
import { issuerSource as source } from '../src/issuer-source.ts'
import { readIssuerSpecs } from '../src/issuer-specs.ts'
import { parseIssuersFile } from '../src/issuers-file.ts'

const readExamples = (page: string): unknown[] =>
  [...readFileSync(page, 'utf8').matchAll(/^ *```json\n(.*?)^ *```$/gms)].map(([, text = '']) => JSON.parse(text))

const parse = (example: unknown) =>
  parseIssuersFile(
    Buffer.from(JSON.stringify(isObject(example) && 'issuers' in example ? example : { issuers: [example] })),
  )

for (const page of ['docs/reference/issuers.md', 'docs/guides/identity-providers.md'])
  t.test(`each example of ${page} is taken`, async t => {
    const examples = readExamples(page)

    t.not(examples.length, 0)
    for (const example of examples) t.doesNotThrow(() => parse(example), JSON.stringify(example))
  })

t.test('trust domains have no path, and a rule for access tokens needs keys', async t => {
  const jwksUrl = 'https://spire.acme.example/bundle'
  const introspection = { clientId: 'x', clientSecretFile: '/run/secrets/x' }

  t.strictSame(parse({ issuer: 'spiffe://acme.example', jwksUrl })[0]?.issuer, ['spiffe://acme.example'])
  for (const issuer of ['spiffe://acme.example/', 'spiffe://acme.example/web', 'spiffe://ACME.example', 'spiffe://'])
    t.throws(() => parse({ issuer, jwksUrl }), { message: /issuer: expected a trust domain of SPIFFE/ }, issuer)
  t.throws(() => parse({ issuer: 'spiffe://acme.example' }), { message: /issuer: expected jwksUrl beside it/ })
  t.throws(() => parse({ issuer: 'https://as.example', introspection, accessTokens: { azp: 'x' } }), {
    message: /accessTokens: expected requiredClaims instead/,
  })
  t.throws(() => parse({ issuer: 'https://as.example', accessTokens: { sub: '*' } }), {
    message: /accessTokens: expected values of sub/,
  })
})

t.test('a file of more than 1 MiB is not read', async t => {
  const issuers = [{ issuer: 'https://as.example', audience: Array.from({ length: 2 ** 17 }, () => 'padding') }]
  const issuersFile = join(t.testdir({ 'issuers.json': JSON.stringify({ issuers }) }), 'issuers.json')

  t.throws(() => readIssuerSpecs(readOptions({ issuersFile }), { source }), {
    name: 'IssuersFileError',
    message: /at most 1024 KiB/,
  })
})
