// The claims that a token must have: how they are written.
import t from 'tap'
import { readClaimPatterns, readTellingPatterns } from '../../../src/auth/claim-patterns.ts'

t.test('a text has claims with values; an object may have lists', async t => {
  const parsed = readClaimPatterns('repository_owner=acme|acme-labs, ref=refs/heads/*,org.id=7')

  t.strictSame({ ...parsed }, { repository_owner: ['acme', 'acme-labs'], ref: ['refs/heads/*'], 'org.id': ['7'] })
  t.strictSame({ ...readClaimPatterns({ a: 'x,y', b: ['1', 'z*'] }) }, { a: ['x,y'], b: ['1', 'z*'] })
})

t.test('B47: what would match all, or nothing, is refused', async t => {
  for (const text of ['', ',', 'a', 'a=', '=b', 'a=b|', 'a=b,a=c', 'a=\n', 'a b=c'])
    t.throws(() => readClaimPatterns(text), /^expected /, JSON.stringify(text))
  for (const text of ['a=*', 'a=b|**', 'a=?*'])
    t.throws(() => readClaimPatterns(text), /\* alone would match all/, text)
  for (const value of [null, [], 7, {}, { a: [] }, { a: [7] }, { a: null }, { a: { b: 'c' } }])
    t.throws(() => readClaimPatterns(value), /^expected claims/, JSON.stringify(value))
})

t.test('in what tells access tokens, * says that a claim is there that only some tokens have', async t => {
  t.strictSame({ ...readTellingPatterns({ jti: '*' }) }, { jti: ['*'] })
  for (const claim of ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf'])
    t.throws(() => readTellingPatterns({ [claim]: '*' }), /\* alone would match all/, claim)
})
