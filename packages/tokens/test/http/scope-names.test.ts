// Scopes by the names of the authorization server, and roles that grant scopes: what clients are
// told, and what opens.
import t from 'tap'
import { defineTool, type ServerOptions } from '../../../../src/index.ts'
import { call } from '../../../../test/support/app.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'

const PREFIX = 'api://9122040d/'
const read = defineTool({
  name: 'read',
  scopes: ['prices:read'],
  annotations: { readOnlyHint: true },
  handler: () => 'read',
})
const reign = defineTool({
  name: 'reign',
  scopes: ['prices:read', 'role:admin'],
  annotations: { readOnlyHint: true },
  handler: () => 'reigned',
})
const options: ServerOptions = {
  tools: [read, reign],
  resources: [],
  prompts: [],
  jwt: { scopeClaims: { scope: '', scp: '', roles: 'role:' }, scopePrefix: PREFIX },
}
const use = (app: Awaited<ReturnType<typeof guarded>>, name: string, headers: Record<string, string> = {}) =>
  call(app, 'tools/call', { name, arguments: {} }, { headers })

t.test('challenges and metadata name scopes as the authorization server does, and leave roles out', async t => {
  const app = await guarded(t, options)

  const { scopes_supported } = (await app.inject('/.well-known/oauth-protected-resource/mcp')).json()
  t.strictSame(scopes_supported, [`${PREFIX}prices:read`])
  for (const headers of [{}, bearer('web:read')]) {
    const { headers: got } = await use(app, 'reign', headers)
    t.match(String(got['www-authenticate']), new RegExp(`, scope="${PREFIX}prices:read"$`))
  }
  const lacking = await use(app, 'reign', bearer('prices:read'))
  t.match(lacking, { status: 403, error: { message: /reign needs prices:read role:admin$/ } })
  t.match(lacking.headers['www-authenticate'], `scope="${PREFIX}prices:read"`)
})

t.test('SCOPES_SUPPORTED is told by the same names', async t => {
  const app = await guarded(t, {
    ...options,
    scopes: { ...options.scopes, supported: ['openid', 'prices:read', 'api://other/a'] },
  })

  t.strictSame((await app.inject('/.well-known/oauth-protected-resource')).json().scopes_supported, [
    'openid',
    `${PREFIX}prices:read`,
    'api://other/a',
  ])
})

t.test('a token opens with the scope, by either name, and with its role', async t => {
  const app = await guarded(t, options)
  const open = async (name: string, claims: object) => (await use(app, name, bearer(undefined, claims))).status

  for (const claims of [{ scope: 'prices:read' }, { scope: `${PREFIX}prices:read` }, { scp: ['prices:read'] }])
    t.equal(await open('read', claims), 200, JSON.stringify(claims))
  t.equal(await open('read', { scope: 'api://other/prices:read' }), 403)
  t.equal(await open('reign', { scope: 'prices:read', roles: ['admin'] }), 200)
  for (const claims of [
    { scope: 'prices:read role:admin' },
    { scope: `${PREFIX}role:admin prices:read` },
    { roles: ['admin'] },
  ])
    t.equal(await open('reign', claims), 403, JSON.stringify(claims))
  t.equal(await open('read', { roles: 7 }), 401)
})

t.test('a broader scope of SCOPE_HIERARCHY may be a role', async t => {
  const app = await guarded(t, { ...options, scopes: { ...options.scopes, hierarchy: 'role:admin>prices:read' } })

  t.equal((await use(app, 'read', bearer('', { roles: ['admin'] }))).status, 200)
  t.equal((await use(app, 'read', bearer('', { roles: ['guest'] }))).status, 403)
})
