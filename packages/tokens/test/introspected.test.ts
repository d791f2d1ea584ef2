// What an issuer says of an opaque token, as the claims of a token.
import t from 'tap'
import { verifyIntrospected } from '../src/claims.ts'

const RULES = { issuers: ['https://as.example'], audiences: ['https://mcp.example/mcp'] }
const NOW_S = 1.8e9
const read = (answer: object) =>
  verifyIntrospected({ active: true, sub: 'alice', aud: RULES.audiences, ...answer }, RULES, NOW_S)

t.test('streams of a token that may be revoked end within an hour, whatever its end', async t => {
  t.equal(read({ exp: NOW_S + 60 }).expiresAtS, NOW_S + 60)
  for (const exp of [undefined, NOW_S + 7200, NOW_S + 1e9, 1e300]) t.equal(read({ exp }).expiresAtS, NOW_S + 3600)
})

t.test('answers of odd types are refused, or read as RFC 7662 allows', async t => {
  t.strictSame(read({ scope: ['read', 'write'] }).scopes, ['read', 'write'])
  for (const odd of [
    { exp: String(NOW_S + 60) },
    { exp: null },
    { exp: -1 },
    { sub: 7 },
    { sub: undefined, username: 'alice' },
    { scope: { read: true } },
    { scope: [1] },
    { aud: { 0: RULES.audiences[0] } },
    { aud: [RULES.audiences] },
    { iss: [RULES.issuers[0]] },
    { iss: null },
    { client_id: ['app'] },
    { token_type: 7 },
  ])
    t.throws(() => read(odd), { name: 'TokenError' }, JSON.stringify(odd))
})
