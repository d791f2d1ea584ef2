// Arguments that a client makes up for a tool without an input schema: dropped, at every door.
import t from 'tap'
import { testTools } from '../../../packages/testing/src/index.ts'
import { defineTool, Type } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { plain } from '../../support/plain.ts'
import { rack, taskFrom, whenEnded } from '../../support/tasks/modern.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const STRAY = { random_string: 'x', _meta: { traceparent: 'y' }, toString: 1 }
const seen = (args: unknown) => JSON.stringify(args)
const closed = Type.Object({}, { additionalProperties: false })
const bare = defineTool({ name: 'bare', description: 'Has no schema.', handler: seen })

t.test('its handler gets no arguments, at every door', async t => {
  const { path } = tempFolder(t, {
    'bare.mjs': `const handler = args => JSON.stringify(args)
export default ['bare', 'apart'].map(name => ({ name, description: 'x', isolate: name === 'apart', handler }))`,
  })
  const app = await build(t, { toolsDir: path, watchTools: false, host: '127.0.0.1', plainHttp: true })
  const session = await open(t, app)
  const tools = await testTools(path)
  t.teardown(() => tools.close())

  t.match(await callTool(app, 'bare', STRAY), { content: [{ text: '{}' }] })
  t.match(await callTool(app, 'apart', STRAY), { content: [{ text: '{}' }] })
  t.match((await session.callTool('bare', STRAY)).result, { content: [{ text: '{}' }] })
  t.equal((await plain(app, '/tools/bare', { json: STRAY })).text, '{}')
  t.equal((await plain(app, '/tools/bare', { form: 'random_string=x&random_string=y&a%5Bb%5D=1' })).text, '{}')
  t.equal((await tools.call('bare', STRAY)).text, '{}')
})

t.test('hooks and tasks see none either', async t => {
  const hooked: unknown[] = []
  const app = await rack(t, [defineTool({ ...bare, task: 'required' })], {
    onCall: ({ arguments: args }, next) => {
      hooked.push(args)
      return next()
    },
  })

  const { result } = await whenEnded(app, await taskFrom(app, 'bare', STRAY))

  t.match(result, { content: [{ text: '{}' }] })
  t.strictSame(hooked, [{}])
})

t.test('a schema of its own stays strict, also an empty one', async t => {
  const app = await build(t, {
    tools: [
      defineTool({ name: 'typebox', inputSchema: closed, handler: seen }),
      defineTool({ name: 'json', inputSchema: { type: 'object', additionalProperties: false }, handler: seen }),
    ],
  })

  for (const name of ['typebox', 'json'])
    t.match(await callTool(app, name, { random_string: 'x' }), {
      isError: true,
      content: [{ text: /random_string is not a known property/ }],
    })
})

t.test('an idempotency key still counts, and made-up texts do not tell calls apart', async t => {
  let runs = 0
  const app = await build(t, {
    tools: [defineTool({ name: 'once', idempotency: true, handler: args => `${seen(args)} ${++runs}` })],
  })

  for (const [key, random_string, text] of [
    ['1', 'a', '{} 1'],
    ['1', 'b', '{} 1'],
    ['2', 'b', '{} 2'],
  ])
    t.match(await callTool(app, 'once', { idempotencyKey: key, random_string }), { content: [{ text }] })
  t.match(await callTool(app, 'once', { idempotencyKey: 7 }), { isError: true })
})

t.test('so does a confirmation, and one that is malformed is dropped', async t => {
  const tool = defineTool({
    name: 'reset',
    async handler(args, ctx) {
      await ctx.confirm('Reset all?')
      return `reset ${seen(args)}`
    },
  })
  const app = await build(t, { tools: [tool] })
  const ask = async (args: object) => (await callTool(app, 'reset', args)).content[0].text as string

  const refused = await ask({ confirmation: 7, random_string: 'a' })
  const [confirmation] = /confirmation\.[A-Za-z0-9_.-]+/.exec(refused) ?? []

  t.equal(await ask({ confirmation, random_string: 'b' }), 'reset {}', refused)
})

t.test('a call that is repeated with an answer may come with another text', async t => {
  const tool = defineTool({
    name: 'asks',
    async handler(args, ctx) {
      const { action } = await ctx.elicit('a', {
        message: 'Go on?',
        requestedSchema: { type: 'object', properties: {} },
      })
      return `${action} ${seen(args)}`
    },
  })
  const app = await build(t, { tools: [tool] })
  const able = { capabilities: { elicitation: {} } }
  const { requestState } = (await call(app, 'tools/call', { name: 'asks', arguments: STRAY }, able)).result

  const again = {
    name: 'asks',
    arguments: { random_string: 'z' },
    requestState,
    inputResponses: { a: { action: 'accept', content: {} } },
  }
  t.match((await call(app, 'tools/call', again, able)).result, { content: [{ text: 'accept {}' }] })
})
