// A bearer token as it is written. What is refused in whole is in test/security/access/b-tokens.test.ts.
import t from 'tap'
import { MAX_TOKEN_BYTES, parseBearerToken } from '../../../src/auth/token.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const FAULT = { name: 'TokenError' }

t.test('a token is what follows the scheme, in any case of letters', async t => {
  for (const header of ['Bearer a.b.c', 'bearer a.b.c', 'BEARER   a.b.c', 'Bearer a.b.c ']) {
    t.equal(parseBearerToken(header), 'a.b.c', header)
  }
})

t.test('a header that is missing, or of another scheme, has no token', async t => {
  for (const header of [
    undefined,
    '',
    'Basic YTpi',
    'DPoP a.b.c',
    'BearerX a',
    'Bearer: a',
    'a.b.c',
    'Basic x, Bearer y',
  ]) {
    t.equal(parseBearerToken(header), undefined, String(header))
  }
})

t.test('a header of the scheme with none or several tokens is malformed', async t => {
  for (const header of [
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer a,b',
    'Bearer\ta',
    'Bearer,a',
  ]) {
    t.throws(() => parseBearerToken(header), FAULT, header)
  }
})

t.test('B15: a token is as long as is said, and no longer', async t => {
  t.equal(parseBearerToken(`Bearer ${'x'.repeat(MAX_TOKEN_BYTES)}`)?.length, MAX_TOKEN_BYTES)
  t.throws(() => parseBearerToken(`Bearer ${'x'.repeat(MAX_TOKEN_BYTES + 1)}`), FAULT)
})

t.test('a long header that is no token is refused at once', async t => {
  const tookMs = cpuMsOf(() => {
    for (const text of [' ', 'x ', '\t', 'Bearer ', ','])
      t.throws(() => parseBearerToken(`Bearer ${text.repeat(16_000)}`), FAULT)
  })

  t.ok(tookMs < 1000, `${tookMs} ms`)
})
