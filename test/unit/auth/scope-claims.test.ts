// Which claims grant scopes, as an operator writes them.
import t from 'tap'
import { assertScopeClaims, parseScopeClaims } from '../../../src/auth/scope-claims.ts'

t.test('claims are named with the prefix that their values get', async t => {
  t.strictSame(parseScopeClaims('scope, scp,,roles=role:,realm_access.roles = role:'), {
    scope: '',
    scp: '',
    roles: 'role:',
    'realm_access.roles': 'role:',
  })
  for (const text of ['', ',', '=role:', 'a b', 'roles=a b', 'roles="', 'roles=é'])
    t.throws(() => parseScopeClaims(text), /^expected claims, separated by commas/, text)
  t.throws(() => parseScopeClaims('roles=a:,roles=b:'), /each name once/)
  for (const claims of [{}, [], null, 7, { roles: 1 }, { roles: null }])
    t.throws(() => assertScopeClaims(claims), /^expected claims/, JSON.stringify(claims))
})

t.test('prefixes cannot be taken for one another', async t => {
  t.throws(() => parseScopeClaims('roles=r:,groups=r:g:'), /none begins with another; r: does/)
  t.doesNotThrow(() => parseScopeClaims('roles=r:,groups=g:'))
})
