// Characters that deceive, in what is sent beside the result of a tool.
import t from 'tap'
import { definePrompt, defineResource, defineTool, Type } from '../../../src/index.ts'
import { call, callTool, META } from '../../support/app.ts'
import { attack, failure, rack } from '../../support/security/hostile.ts'

/** A colour of a terminal, a tag character, an override, a NUL. */
const DIRT = '\u001b[31m\u{e0068}\u202e\u0000'

t.test('D14: names of arguments that a client made up come back clean', async t => {
  const inputSchema = { type: 'object', additionalProperties: false } as const
  const app = await rack(t, [defineTool({ name: 'strict', inputSchema, handler: () => 'done' })])

  const text = failure(await call(app, 'tools/call', { name: 'strict', arguments: { [`odd${DIRT}`]: 1 } }))

  t.equal(text, 'Invalid arguments for strict: odd is not a known property')
})

t.test('D14: progress and log entries are clean', async t => {
  const tool = defineTool({
    name: 'chatty',
    handler(_args, { log, progress }) {
      progress(1, 2, `step${DIRT}`)
      log.info(`entry${DIRT}`, { [`key${DIRT}`]: `value${DIRT}` })
      return 'done'
    },
  })
  const app = await rack(t, [tool])

  const { notifications } = await attack(
    app,
    'chatty',
    {},
    { meta: { progressToken: 1, [`${META}logLevel`]: 'debug' } },
  )

  t.match(
    notifications.map(({ params }) => params),
    [{ message: 'step' }, { data: { message: 'entry', data: { key: 'value' } } }],
  )
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool log'),
    { entry: { message: 'entry', data: { key: 'value' } } },
  )
})

t.test('D14: what a tool asks its user is clean', async t => {
  const tool = defineTool({
    name: 'asker',
    async handler(_args, ctx) {
      const requestedSchema = { type: 'object' as const, properties: { a: { type: 'string', title: `A${DIRT}` } } }
      const { action } = await ctx.elicit('q', { message: `Really${DIRT}?`, requestedSchema })
      return action
    },
  })
  const app = await rack(t, [tool])

  const { result } = await attack(app, 'asker', {}, { capabilities: { elicitation: {} } })

  t.match(result.inputRequests.q.params, {
    message: 'Really?',
    requestedSchema: { properties: { a: { title: 'A' } } },
  })
})

t.test('D14: a question that is no JSON is a tool error', async t => {
  const tool = defineTool({
    name: 'asker',
    async handler(_args, ctx) {
      const { action } = await ctx.elicit('q', {
        message: 10n as unknown as string,
        mode: 'url',
        url: 'https://x.example',
      })
      return action
    },
  })
  const app = await rack(t, [tool])

  t.equal(
    failure(await attack(app, 'asker', {}, { capabilities: { elicitation: { url: {} } } })),
    'params.message is a bigint: use json(value)',
  )
})

t.test('D14: what a resource or a prompt hands over is clean', async t => {
  const resource = defineResource({ uri: 'a:b', name: 'dirty', handler: () => `body${DIRT}` })
  const prompt = definePrompt({ name: 'dirty', handler: () => `ask${DIRT}` })
  const app = await rack(t, [], { resources: [resource], prompts: [prompt] })

  const read = await call(app, 'resources/read', { uri: 'a:b' })
  const asked = await call(app, 'prompts/get', { name: 'dirty' })

  t.equal(read.result.contents[0].text, 'body')
  t.equal(asked.result.messages[0].content.text, 'ask')
})

t.test('D14: arguments reach the tool as they were sent', async t => {
  const seen: string[] = []
  const tool = defineTool({
    name: 'receiver',
    inputSchema: Type.Object({ text: Type.String() }),
    handler({ text }) {
      seen.push(text)
    },
  })
  const app = await rack(t, [tool])

  await callTool(app, 'receiver', { text: DIRT })

  t.strictSame(seen, [DIRT])
})
