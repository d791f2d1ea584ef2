// Which users may sign in, which scopes they get, and what of them goes into tokens.
import t from 'tap'
import { MAX_CLAIM_BYTES, mapClaims, parseClaims } from '../src/users/claims.ts'
import { grantable, isAllowed, parseScopes, parseUserRules, readSubject } from '../src/users/rules.ts'

const ALICE = {
  sub: 'alice',
  email: 'Alice@Example.com',
  email_verified: true,
  hd: 'example.com',
  groups: ['staff', 'admins'],
  level: 3,
}

const CASES: [rules: string, claims: object, isIn: boolean][] = [
  ['*', ALICE, true],
  ['*', {}, false],
  ['hd=example.com', ALICE, true],
  ['hd=EXAMPLE.com', ALICE, false],
  ['hd=example', ALICE, false],
  ['groups=admins', ALICE, true],
  ['groups=admin', ALICE, false],
  ['groups=nobody,hd=example.com', ALICE, true],
  ['level=3', ALICE, true],
  ['groups=*', ALICE, true],
  ['roles=*', ALICE, false],
  ['email=alice@example.com', ALICE, true],
  ['email=*@example.com', ALICE, true],
  ['email=*@ample.com', ALICE, false],
  ['email=*@example.com', { ...ALICE, email: 'x@evil.example@example.com' }, true],
  ['email=*@example.com', { ...ALICE, email: 'x@example.com@evil.example' }, false],
  ['email=*@example.com', { ...ALICE, email: 'x@example.com.evil.example' }, false],
  ['email=*@example.com', { ...ALICE, email_verified: false }, false],
  ['email=*@example.com', { ...ALICE, email_verified: undefined }, false],
  ['email=*@example.com', { ...ALICE, email_verified: 'true' }, true],
  ['email=*', { ...ALICE, email_verified: 'no' }, false],
  ['hd=[object Object]', { hd: {} }, false],
  ['constructor=*', {}, false],
  ['toString=*', ALICE, false],
]

for (const [rules, claims, isIn] of CASES) {
  t.test(`${rules} ${isIn ? 'lets in' : 'keeps out'} ${JSON.stringify(claims)}`, async t => {
    t.equal(isAllowed(claims as Record<string, unknown>, parseUserRules(rules)), isIn)
  })
}

t.test('a scope without a rule is for all, one with rules needs one of them, and others are for nobody', async t => {
  const rules = parseScopes('read,write?groups=admins,write?level=9,admin?groups=root')

  t.strictSame(grantable(ALICE, ['read', 'write', 'admin', 'unknown', 'openid'], rules), ['read', 'write'])
  t.strictSame(grantable({ ...ALICE, groups: [] }, ['read', 'write'], rules), ['read'])
  t.strictSame(grantable({ level: 9 }, ['write'], rules), ['write'])
})

t.test('claims go on under their names, or under others; what is not there is left out', async t => {
  const mapping = parseClaims('email,tenant=tid,teams=cognito:groups,valueOf')

  t.strictSame(mapClaims({ email: 'a@b.c', tid: 't1', 'cognito:groups': ['x'], other: 1 }, mapping), {
    email: 'a@b.c',
    tenant: 't1',
    teams: ['x'],
  })
})

t.test('claims that are too large for a token are an error, at the limit', async t => {
  const mapping = parseClaims('g')
  const room = MAX_CLAIM_BYTES - JSON.stringify({ g: '' }).length

  t.doesNotThrow(() => mapClaims({ g: 'x'.repeat(room) }, mapping))
  t.throws(() => mapClaims({ g: 'x'.repeat(room + 1) }, mapping), /take 4097 bytes, and a token has room for 4096/)
})

t.test('a subject is a text that says who the user is', async t => {
  t.equal(readSubject({ sub: 'alice' }, 'sub'), 'alice')
  t.equal(readSubject({ email: 'alice@example.com', email_verified: true }, 'email'), 'alice@example.com')
  for (const claims of [{ email: 'alice@example.com' }, { email: 'alice@example.com', email_verified: false }])
    t.equal(readSubject(claims, 'email'), undefined, 'an address that nobody verified')
  for (const sub of ['', 5, ['alice'], 'x'.repeat(256), undefined]) t.equal(readSubject({ sub }, 'sub'), undefined)
  t.equal(readSubject({}, 'toString'), undefined)
})
