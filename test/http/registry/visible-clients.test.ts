// `visible` also decides by what the client has declared, at every door.
import t from 'tap'
import { defineTool, type ToolClient, type Visible } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'

const seen: ToolClient[] = []
const asksUsers: Visible = (_tool, _caller, client) => {
  seen.push(client)
  return client.capabilities.elicitation !== undefined
}
const tools = [
  defineTool({ name: 'both', handler: () => 'both' }),
  defineTool({ name: 'form', visible: asksUsers, handler: () => 'form' }),
]
const ABLE = { capabilities: { elicitation: { form: {} } } }
const namesOf = ({ tools }: { tools: { name: string }[] }) => tools.map(({ name }) => name)

t.test('in 2026-07-28, by each request', async t => {
  const app = await build(t, { tools })
  const list = async (options = {}) => namesOf((await call(app, 'tools/list', {}, options)).result)

  t.strictSame(await list(ABLE), ['both', 'form'])
  t.strictSame(await list(), ['both'], 'the page of another client is not shared')
  t.strictSame(await list(ABLE), ['both', 'form'])
  t.match(await callTool(app, 'form', {}, ABLE), { content: [{ text: 'form' }] })
  t.match(await call(app, 'tools/call', { name: 'form', arguments: {} }), { error: { code: -32602 } })
})

t.test('in a session, by what initialize has said', async t => {
  const app = await build(t, { tools })
  const able = await open(t, app, ABLE)
  const unable = await open(t, app, { capabilities: {} })

  t.strictSame(namesOf((await able.call('tools/list')).result), ['both', 'form'])
  t.strictSame(namesOf((await unable.call('tools/list')).result), ['both'])
  t.match(await unable.call('tools/call', { name: 'form', arguments: {} }), { error: { code: -32602 } })
  t.match(await able.call('tools/call', { name: 'form', arguments: {} }), { result: { content: [{ text: 'form' }] } })
})

t.test('plain HTTP can ask its users; the page for browsers declares nothing', async t => {
  const app = await build(t, { tools, plainHttp: true })

  const called = await app.inject({ method: 'POST', url: '/tools/form', payload: {} })
  t.equal(called.statusCode, 200)
  const page = await app.inject({ method: 'GET', url: '/', headers: { accept: 'text/html' } })
  t.match(page.body, 'both')
  t.notMatch(page.body, '>form<')
})

t.test('a rule of all tools gets the client, and nothing else of the request', async t => {
  const app = await build(t, { tools, visible: asksUsers })
  seen.length = 0

  t.strictSame(namesOf((await call(app, 'tools/list', {}, ABLE)).result), ['both', 'form'])

  t.strictSame(seen[0], { capabilities: ABLE.capabilities })
})
