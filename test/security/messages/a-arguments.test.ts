// Arguments that do not fit the schema are named; none is coerced, dropped or rounded.
import t, { type Test } from 'tap'
import { defineTool, Type } from '../../../src/index.ts'
import { attack, echoCall, target } from '../../support/security/probe.ts'

type Schema = Record<string, unknown>

/** A server with one tool of this schema, which keeps what reached its handler. */
async function withSchema(t: Test, inputSchema: Schema) {
  const received: Record<string, unknown>[] = []
  const tool = defineTool({ name: 'echo', inputSchema, handler: args => void received.push(args) })
  return { app: await target(t, { tools: [tool] }), received }
}

t.test('A40: arguments that do not fit are named by path, and neither coerced nor dropped', async t => {
  const { app, received } = await withSchema(t, {
    type: 'object',
    properties: {
      count: { type: 'integer' },
      name: { type: 'string' },
      flag: { type: 'boolean' },
      list: { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
    },
    required: ['count'],
    additionalProperties: false,
  })
  const cases: [object, string][] = [
    [{}, 'count is required'],
    [{ count: '10' }, 'count must be integer'],
    [{ count: 1.5 }, 'count must be integer'],
    [{ count: true }, 'count must be integer'],
    [{ count: null }, 'count must be integer'],
    [{ count: 1, name: null }, 'name must be string'],
    [{ count: 1, name: 7 }, 'name must be string'],
    [{ count: 1, flag: 'true' }, 'flag must be boolean'],
    [{ count: 1, flag: 1 }, 'flag must be boolean'],
    [{ count: 1, list: { id: 1 } }, 'list must be array'],
    [{ count: 1, list: [{ id: 1 }, {}] }, 'list.1.id is required'],
    [{ count: 1, extra: 'secret value' }, 'extra is not a known property'],
    [{ count: 1, '\u001b[31m\u{e0041}red\n': 1 }, 'red is not a known property'],
  ]

  for (const [args, text] of cases) {
    const { message } = await attack(app, { body: echoCall(args) })

    t.match(message?.result, { isError: true })
    t.match(message?.result?.content[0].text, text)
    t.notMatch(message?.result?.content[0].text, /secret value|\u001b|\u{e0041}|\n/u)
  }
  t.same(received, [])
})

t.test('A40: properties that the schema says nothing of reach the handler', async t => {
  const { app, received } = await withSchema(t, Type.Object({ a: Type.Number() }))

  await attack(app, { body: echoCall({ a: 1, extra: { b: [null, '10'] } }) })

  t.same(received, [{ a: 1, extra: { b: [null, '10'] } }])
})

t.test('A11: a number that is not what the client wrote is refused, not rounded', async t => {
  const { app, received } = await withSchema(t, {
    type: 'object',
    properties: {
      number: { type: 'number' },
      integer: { type: 'integer' },
      maybe: { type: ['integer', 'null'] },
      list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    },
  })
  const big = '9007199254740993'
  const numbers = ['1e400', '-1e400']
  const wrong = [
    ...numbers.map(each => `"number":${each}`),
    ...['-0', big, `-${big}`, '1e400', '1e300'].flatMap(each => [`"integer":${each}`, `"maybe":${each}`]),
    `"list":["a",${big}]`,
  ]

  for (const members of wrong) {
    const { message } = await attack(app, { body: echoCall({ '#': 0 }).replace('"#":0', members) })
    t.match(message?.result, { isError: true }, members)
  }
  t.same(received, [])
  await attack(app, { body: echoCall({ '#': 0 }).replace('"#":0', '"number":-0.5,"integer":1.0,"maybe":null') })
  t.same(received, [{ number: -0.5, integer: 1, maybe: null }])
})

t.test('A41: what every object inherits is not there', async t => {
  const required = ['toString', 'constructor', 'valueOf', 'hasOwnProperty']
  const { app, received } = await withSchema(t, { type: 'object', required })

  for (const name of required) {
    const others = Object.fromEntries(required.filter(each => each !== name).map(each => [each, 1]))
    const { message } = await attack(app, { body: echoCall(others) })
    t.match(message?.result, { isError: true, content: [{ text: `Invalid arguments for echo: ${name} is required` }] })
  }
  t.same(received, [])
})
