// Which claims of a token a caller has, by which names, and what is refused.
import t from 'tap'
import {
  assertClaimNames,
  freezeClaims,
  MAX_CLAIMS,
  MAX_CLAIMS_LENGTH,
  parseClaimNames,
} from '../../../src/auth/caller-claims.ts'

const fromJson = (text: string) => JSON.parse(text) as Record<string, unknown>

t.test('a claim keeps its name, or gets the one before the equals sign', async t => {
  t.strictSame(parseClaimNames('tenant=tid, email,,groups = cognito:groups'), {
    tenant: 'tid',
    email: 'email',
    groups: 'cognito:groups',
  })
  t.strictSame(parseClaimNames('https://example.com/tenant'), {
    'https://example.com/tenant': 'https://example.com/tenant',
  })
  t.ok(Object.isFrozen(parseClaimNames('tenant=tid')))
})

t.test('names that say nothing, twice, or what every object has are refused', async t => {
  for (const text of ['', ',', '=tid', 'tenant=', 'a b', 'a=b=c', 'a"', 'é', 'x'.repeat(129)])
    t.throws(() => parseClaimNames(text), /^expected names of claims/, text)
  t.throws(() => parseClaimNames('a=b,a=c'), /each name once/)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    t.throws(() => parseClaimNames(`${name}=tid`), new RegExp(`another name than ${name}`), name)
  t.throws(() => assertClaimNames(fromJson('{"__proto__":"tid"}')), /another name than __proto__/)
  for (const names of [{ a: 1 }, {}, ['a'], null, 7]) t.throws(() => assertClaimNames(names), /expected names/)
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join()
  t.doesNotThrow(() => parseClaimNames(names(MAX_CLAIMS)))
  t.throws(() => parseClaimNames(names(MAX_CLAIMS + 1)), /expected names/)
})

t.test('the length of all claims together is bounded, in characters of JSON', async t => {
  const text = (length: number) => 'x'.repeat(length - 2)
  const half = text(MAX_CLAIMS_LENGTH / 2)

  t.doesNotThrow(() => freezeClaims({ a: half, b: half }))
  t.doesNotThrow(() => freezeClaims({ a: text(MAX_CLAIMS_LENGTH) }))
  t.throws(() => freezeClaims({ a: text(MAX_CLAIMS_LENGTH + 1) }), {
    name: 'TokenError',
    message: /^the claims up to a /,
  })
  t.throws(() => freezeClaims({ a: half, b: half, c: 1 }), { message: /^the claims up to c are longer than 16384 / })
})
