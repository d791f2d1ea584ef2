import t from 'tap'
import { definePrompt, defineResource, defineTool, type ToolrackOptions } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'

const handler = () => 'ok'
const echo = defineTool({ name: 'echo', handler })

t.test('capabilities: only those that something is registered for', async t => {
  const resource = defineResource({ uri: 'a://b', name: 'a', handler })
  const template = defineResource({ uriTemplate: 'a://{b}', name: 'a', handler })
  const prompt = definePrompt({ name: 'a', handler })
  const completed = definePrompt({ name: 'a', arguments: [{ name: 'b', complete: () => [] }], handler })
  const of = async (options: ToolrackOptions) => {
    const { result } = await call(await build(t, options), 'server/discover')
    return Object.keys(result.capabilities)
      .filter(name => name !== 'logging')
      .sort()
  }

  t.strictSame(await of({}), [])
  t.strictSame(await of({ tools: [echo] }), ['tools'])
  t.strictSame(await of({ resources: [resource] }), ['resources'])
  t.strictSame(await of({ resources: [template] }), ['resources'])
  t.strictSame(await of({ prompts: [prompt] }), ['prompts'])
  t.strictSame(await of({ prompts: [completed] }), ['completions', 'prompts'])
  t.strictSame(await of({ tools: [echo], resources: [resource], prompts: [prompt] }), ['prompts', 'resources', 'tools'])
})

t.test('capabilities: a method of one that is not advertised is unknown', async t => {
  const app = await build(t, { tools: [echo] })

  for (const [method, params] of [
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'a://b' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'a' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'b', value: '' } }],
  ] as const) {
    t.match(await call(app, method, params), { status: 404, error: { code: -32601 } }, method)
  }
})

t.test('capabilities: one stays when the last that is registered for it goes', async t => {
  const app = await build(t, { tools: [echo] })

  app.toolrack.remove('echo')

  t.match((await call(app, 'server/discover')).result.capabilities, { tools: { listChanged: true } })
  t.strictSame((await call(app, 'tools/list')).result.tools, [])
})

t.test('capabilities: one comes with the first that is registered for it', async t => {
  const app = await build(t, { tools: [echo] })

  app.toolrack.add(definePrompt({ name: 'a', handler }))

  t.match((await call(app, 'server/discover')).result.capabilities, { prompts: { listChanged: true } })
  t.match((await call(app, 'prompts/list')).result.prompts, [{ name: 'a' }])
})
