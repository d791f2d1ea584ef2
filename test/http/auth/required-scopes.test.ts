// REQUIRED_SCOPES: what all needs that names no scopes itself.
import t from 'tap'
import { definePrompt, defineResource, defineTool } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'

const plain = defineTool({ name: 'plain', annotations: { readOnlyHint: true }, handler: () => 'done' })
const priced = defineTool({ name: 'priced', scopes: ['prices'], handler: () => 'done' })
const note = defineResource({ uri: 'memory://note', name: 'note', handler: () => 'note' })
const greet = definePrompt({ name: 'greet', handler: () => 'hello' })

const options = {
  jwt: { secret: SECRET, issuer: 'https://as.example' },
  publicUrl: RESOURCE,
  scopes: { required: 'mcp' },
  tools: [plain, priced],
  resources: [note],
  prompts: [greet],
}

t.test('tools, resources and prompts without scopes need them, and those with scopes do not', async t => {
  const app = await build(t, options)
  const seen = async (scope: string) => {
    const list = async (method: string) => (await call(app, method, {}, { headers: bearer(scope) })).result
    const { tools } = await list('tools/list')
    const { resources } = await list('resources/list')
    const { prompts } = await list('prompts/list')
    return [...tools, ...resources, ...prompts].map(({ name }: { name: string }) => name)
  }

  t.strictSame(await seen(''), [])
  t.strictSame(await seen('mcp'), ['plain', 'note', 'greet'])
  t.strictSame(await seen('prices'), ['priced'])
})

t.test('B47: without them each use is 403, and the challenge names them', async t => {
  const app = await build(t, options)
  const uses: readonly (readonly [string, object])[] = [
    ['tools/call', { name: 'plain', arguments: {} }],
    ['resources/read', { uri: 'memory://note' }],
    ['prompts/get', { name: 'greet' }],
  ]

  for (const [method, params] of uses) {
    const refused = await call(app, method, { ...params }, { headers: bearer('prices') })
    t.equal(refused.status, 403, method)
    t.match(refused.headers['www-authenticate'], /error="insufficient_scope".*scope="mcp"/, method)
    t.equal((await call(app, method, { ...params }, { headers: bearer('mcp') })).status, 200, method)
  }
})

t.test('clients ask for them at first: by the challenge and by the metadata', async t => {
  const app = await build(t, options)

  const stranger = await call(app, 'tools/call', { name: 'plain', arguments: {} })
  t.equal(stranger.status, 401)
  t.match(stranger.headers['www-authenticate'], 'scope="mcp"')
  const metadata = await app.inject('/.well-known/oauth-protected-resource/mcp')
  t.strictSame(metadata.json().scopes_supported, ['mcp'])
})

t.test('a broader scope stands for them', async t => {
  const app = await build(t, { ...options, scopes: { ...options.scopes, hierarchy: 'admin>mcp' } })

  t.equal((await call(app, 'tools/call', { name: 'plain', arguments: {} }, { headers: bearer('admin') })).status, 200)
})
