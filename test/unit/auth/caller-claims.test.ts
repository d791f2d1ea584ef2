// Which claims of a token a caller has, by which names, and what is refused.
import t from 'tap'
import {
  assertClaimNames,
  findClaim,
  freezeClaims,
  MAX_CLAIMS,
  MAX_CLAIMS_LENGTH,
  parseClaimNames,
  selectClaims,
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

t.test('a claim is found by its name, else by its path, whose names may have dots', async t => {
  const claims = {
    'https://example.com/tenant': 'url',
    'a.b': 'by name',
    a: { b: 'by path', c: { d: 1 } },
    resource_access: { 'https://mcp.example/mcp': { roles: ['reader'] }, 'https://mcp': { example: 'shorter' } },
    text: 'x',
    list: [{ name: 'first' }],
    nothing: null,
  }
  const cases: Record<string, unknown> = {
    'https://example.com/tenant': 'url',
    'a.b': 'by name',
    'a.c.d': 1,
    'a.c': { d: 1 },
    'resource_access.https://mcp.example/mcp.roles': ['reader'],
    'text.length': undefined,
    'list.0': undefined,
    'list.length': undefined,
    'nothing.x': undefined,
    '.a': undefined,
    'a.': undefined,
    'a..b': undefined,
    absent: undefined,
  }

  for (const [name, expected] of Object.entries(cases)) t.strictSame(findClaim(claims, name), expected, name)
})

t.test('what objects inherit is no claim', async t => {
  for (const name of ['constructor', 'toString', '__proto__', 'a.constructor', 'a.__proto__', '__proto__.toString'])
    t.equal(findClaim({ a: {} }, name), undefined, name)
})

t.test('a claim that is missing or null is absent; all others are what they are', async t => {
  const names = parseClaimNames('tenant=tid,email,admin,level,groups,org')
  const payload = {
    tid: 'acme',
    email: null,
    admin: false,
    level: 0,
    groups: ['a', 1, null],
    org: { id: 'o', tags: [] },
  }

  t.strictSame(selectClaims(payload, names), {
    tenant: 'acme',
    admin: false,
    level: 0,
    groups: ['a', 1, null],
    org: { id: 'o', tags: [] },
  })
  t.strictSame(selectClaims({}, names), {})
})

t.test('claims are frozen in depth', async t => {
  const { org } = selectClaims({ org: { list: [{ a: 1 }] } }, { org: 'org' }) as { org: { list: { a: number }[] } }

  for (const change of [() => org.list.push({ a: 2 }), () => (org.list[0]!.a = 2), () => (org.list = [])])
    t.throws(change, TypeError)
})

t.test('a claim that cannot be handed on whole refuses the token, and says which', async t => {
  const odd = [
    '"\\ud800"',
    '"\\ufffd"',
    '["a","\\udc00"]',
    '{"a":{"\\ud800":1}}',
    '{"__proto__":{"admin":true}}',
    '[{"__proto__":1}]',
    '1e999',
    '[-1e999]',
  ]

  for (const json of odd)
    t.throws(
      () => selectClaims(fromJson(`{"tid":${json}}`), { tenant: 'tid' }),
      { name: 'TokenError', message: 'the claim tenant has characters or keys that are not allowed' },
      json,
    )
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
