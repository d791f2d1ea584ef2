// How a claim is found, and which of a token's a caller has.
import t from 'tap'
import { parseClaimNames } from '../../../src/auth/caller-claims.ts'
import { findClaim, selectClaims } from '../src/select-claims.ts'

const fromJson = (text: string) => JSON.parse(text) as Record<string, unknown>

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
