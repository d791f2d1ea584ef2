// The scopes that a token grants, and by which names clients ask for them.
import t from 'tap'
import { parseScopeClaims } from '../../../src/auth/scope-claims.ts'
import { readScopes, toClientScopes } from '../src/token-scopes.ts'

const rules = (text: string, prefix?: string) => ({ claims: parseScopeClaims(text), prefix })

t.test('the scopes of all claims count, once each, and claims that are absent give none', async t => {
  const granted = readScopes(
    {
      scope: 'read openid',
      scp: ['write', 'read'],
      realm_access: { roles: ['admin'] },
      'https://example.com/roles': ['admin', 'owner'],
    },
    rules('scope,scp,realm_access.roles=role:,https://example.com/roles=role:,groups=group:'),
  )

  t.strictSame(granted, ['read', 'openid', 'write', 'role:admin', 'role:owner'])
  t.ok(Object.isFrozen(granted))
  t.strictSame(readScopes({}, rules('scope,roles=role:')), [])
  t.strictSame(readScopes({ scope: 'read', scp: 'write' }, {}), ['read'], 'without the setting')
  t.strictSame(readScopes({ scope: 'read' }, rules('scp')), [], 'a claim that is not named')
})

t.test('a role is never a scope, and a scope never a role', async t => {
  const claims = rules('scope,scp,roles=role:', 'api://x/')

  t.strictSame(readScopes({ roles: ['prices:write'] }, claims), ['role:prices:write'])
  for (const scope of ['role:admin', 'read role:admin', ['role:admin', 'read'], 'api://x/role:admin'])
    t.notMatch(readScopes({ scope }, claims).join(), 'admin', JSON.stringify(scope))
  t.strictSame(readScopes({ roles: 'Not admin' }, claims), [], 'a text is one role, and this name is no scope')
  t.strictSame(readScopes({ roles: ['Domain Admin', 'admin', '', 'a"b', 'é'] }, claims), ['role:admin'])
})

t.test('a claim of another form refuses the token, by its name', async t => {
  for (const roles of [1, true, {}, [1], [null], [['admin']], { 0: 'admin' }])
    t.throws(
      () => readScopes({ roles }, rules('scope,roles=role:')),
      { name: 'TokenError', message: 'roles is not text' },
      JSON.stringify(roles),
    )
})

t.test('the prefix of the authorization server is taken away where it is, and only once', async t => {
  const api = { prefix: 'https://mcp.example/' }

  t.strictSame(readScopes({ scope: 'https://mcp.example/prices:read openid web:read' }, api), [
    'prices:read',
    'openid',
    'web:read',
  ])
  t.strictSame(readScopes({ scope: 'https://mcp.example/https://mcp.example/a' }, api), ['https://mcp.example/a'])
  t.strictSame(readScopes({ scope: 'https://mcp.example/ https://other.example/a' }, api), ['https://other.example/a'])
})

t.test('clients are told scopes by their names there, and no roles', async t => {
  const claims = rules('scope,roles=role:', 'api://x/')

  t.strictSame(toClientScopes(['prices:read', 'role:admin', 'openid', 'https://graph.example/a'], claims), [
    'api://x/prices:read',
    'openid',
    'https://graph.example/a',
  ])
  t.strictSame(toClientScopes(['api://x/prices:read'], claims), ['api://x/prices:read'])
  t.strictSame(toClientScopes(['a', 'role:b'], {}), ['a', 'role:b'])
})
