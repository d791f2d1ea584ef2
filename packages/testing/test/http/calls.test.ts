// testTools: a call takes the steps of a real one, and its result has all that a client sees.
import t from 'tap'
import { definePrompt, defineResource, defineTool, ToolError, Type, text } from '../../../../src/index.ts'
import { ProtocolError, testTools } from '../../src/index.ts'

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Integer(), b: Type.Integer() }, { additionalProperties: false }),
  outputSchema: Type.Object({ sum: Type.Integer() }),
  handler: ({ a, b }) => ({ sum: a + b }),
})

t.test('a result has its text, its structure and what the tool has set', async t => {
  const tools = await testTools([
    add,
    defineTool({
      name: 'greet',
      handler: () => ({ content: [text('Hello'), text('world')], _meta: { 'shop.example/cost': 1 } }),
    }),
  ])
  t.teardown(() => tools.close())

  t.match(await tools.call('add', { a: 1, b: 2 }), {
    text: '{"sum":3}',
    structuredContent: { sum: 3 },
    isError: false,
    _meta: undefined,
    progress: [],
    logs: [],
    questions: [],
    task: undefined,
  })
  const greeting = await tools.call('greet')
  t.equal(greeting.text, 'Hello\nworld')
  t.strictSame(greeting._meta, { 'shop.example/cost': 1 })
  t.equal(greeting.content.length, 2)
})

t.test('arguments and results are checked, and a tool error is a result', async t => {
  const tools = await testTools([
    add,
    defineTool({
      name: 'broken',
      outputSchema: Type.Object({ n: Type.Number() }),
      handler: () => ({ n: 'x' }) as never,
    }),
    defineTool({
      name: 'refuse',
      handler() {
        throw new ToolError('There is no such order.')
      },
    }),
  ])
  t.teardown(() => tools.close())

  // @ts-expect-error: the compiler knows the argument
  const invalid = await tools.call('add', { a: 1, b: 'two' })
  t.equal(invalid.isError, true)
  t.match(invalid.text, 'b must be integer')
  t.match(await tools.call('broken'), { isError: true, text: /^broken returned/ })
  t.match(await tools.call('refuse'), { isError: true, text: 'There is no such order.' })
})

t.test('what is no JSON does not reach a tool', async t => {
  const seen: unknown[] = []
  const tools = await testTools(
    defineTool({ name: 'see', inputSchema: { type: 'object' }, handler: args => void seen.push(args) }),
  )
  t.teardown(() => tools.close())

  await tools.call('see', { at: new Date(0), none: undefined })

  t.strictSame(seen, [{ at: '1970-01-01T00:00:00.000Z' }])
})

t.test('a request is read as that of a POST, within its bounds', async t => {
  const echo = defineTool({
    name: 'echo',
    description: 'Returns its arguments.',
    inputSchema: { type: 'object' },
    handler: args => JSON.stringify(args),
  })
  const tools = await testTools(echo)
  t.teardown(() => tools.close())
  const refused = { reason: 'INVALID_REQUEST', code: -32600 }

  await t.rejects(tools.call('echo', { a: 'half \ud83d' }), { ...refused, message: /lone surrogate/ })
  await t.rejects(tools.call('echo', { a: Array(10_001).fill(1) }), { ...refused, message: /more than 10000 elements/ })
  t.equal((await tools.call('echo', { a: '😀' })).text, '{"a":"😀"}')
})

t.test('an unknown tool is refused with the names that there are', async t => {
  const tools = await testTools([add, defineTool({ name: 'paint', requires: ['NO_SUCH_VARIABLE'], handler: () => '' })])
  t.teardown(() => tools.close())

  // @ts-expect-error: the compiler knows the names
  const error = await tools.call('ad').catch(thrown => thrown)
  t.type(error, ProtocolError)
  t.match(error, { code: -32602, reason: 'UNKNOWN_TOOL', message: 'Unknown tool: ad. The caller sees add' })
  await t.rejects(tools.call('paint'), {
    message: 'Unknown tool: paint. It is not served, since it needs NO_SUCH_VARIABLE',
  })
})

t.test('scopes, visibility and the caller are those of the call', async t => {
  const tools = await testTools(
    [
      defineTool({ name: 'who', handler: (_, { caller }) => `${caller?.subject}` }),
      defineTool({ name: 'cancel_order', scopes: ['orders:write'], handler: () => 'cancelled' }),
      defineTool({ name: 'audit', visible: (_, caller) => caller?.subject === 'root', handler: () => 'audited' }),
    ],
    { caller: { subject: 'ann', scopes: ['orders:write'] } },
  )
  t.teardown(() => tools.close())
  const names = async (options = {}) => (await tools.list(options)).map(({ name }) => name)

  t.equal((await tools.call('who')).text, 'ann')
  t.equal((await tools.call('cancel_order')).text, 'cancelled')
  t.equal((await tools.call('who', {}, { caller: { subject: 'bob' } })).text, 'bob')
  t.strictSame(await names(), ['cancel_order', 'who'])
  t.strictSame(await names({ caller: { subject: 'root' } }), ['audit', 'who'])
  await t.rejects(tools.call('cancel_order', {}, { caller: { subject: 'bob' } }), {
    code: 40300,
    reason: 'INSUFFICIENT_SCOPE',
    message: 'Insufficient scope: cancel_order needs orders:write. The caller has no scope',
  })
  await t.rejects(tools.call('audit'), { message: 'Unknown tool: audit. The caller sees cancel_order, who' })
})

t.test('without a caller there is no access control', async t => {
  const tools = await testTools(
    defineTool({ name: 'who', scopes: ['all'], handler: (_, { caller }) => `${caller?.subject}` }),
  )
  t.teardown(() => tools.close())

  t.equal((await tools.call('who')).text, 'undefined')
})

t.test('progress and logs of every level are collected', async t => {
  const tools = await testTools(
    defineTool({
      name: 'work',
      async handler(_, { progress, log }) {
        log.debug('begins')
        for (const step of [1, 2, 3]) progress(step, 3, `step ${step}`)
        await Promise.resolve()
        log.emergency('ends', { after: 3 })
        return 'done'
      },
    }),
  )
  t.teardown(() => tools.close())

  const { progress, logs } = await tools.call('work')

  t.strictSame(
    progress,
    [1, 2, 3].map(step => ({ progress: step, total: 3, message: `step ${step}` })),
  )
  t.strictSame(logs, [
    { level: 'debug', data: 'begins' },
    { level: 'emergency', data: { message: 'ends', data: { after: 3 } } },
  ])
})

t.test('settings are those of a server, and hooks run', async t => {
  const calls: string[] = []
  const tools = await testTools(
    [add, defineTool({ name: 'fail', handler: () => Promise.reject(new Error('disk /dev/sda1 is full')) })],
    {
      settings: {
        errorMessages: 'tool-errors',
        onCall(call, next) {
          calls.push(call.tool.name)
          return next()
        },
      },
    },
  )
  t.teardown(() => tools.close())

  t.match((await tools.call('fail')).text, /^Tool failed \(ref /)
  await tools.call('add', { a: 1, b: 1 })
  t.strictSame(calls, ['fail', 'add'])
  // @ts-expect-error: a setting that there is not
  await t.rejects(testTools(add, { settings: { toolTimeout: 1 } }), { message: /^toolTimeout: no such option/ })
})

t.test('an option that there is not is refused: without its caller, a test would have no access control', async t => {
  const tools = await testTools(add)
  t.teardown(() => tools.close())
  const caller = { subject: 'ann' }

  // @ts-expect-error: a misspelt option
  await t.rejects(testTools(add, { callr: caller }), { message: 'callr: no such option; did you mean caller?' })
  // @ts-expect-error: a misspelt option
  await t.rejects(tools.call('add', {}, { callers: caller }), { message: /^callers: no such option; did you mean/ })
  // @ts-expect-error: no option of a call
  await t.rejects(tools.list({ clock: 'fake' }), { message: /there are caller, answers, capabilities, meta$/ })
  await t.rejects(testTools([]), { message: 'testTools was given no definition' })
})

t.test('members of `_meta` and parameters that headers mirror reach the tool', async t => {
  const tools = await testTools(
    defineTool({
      name: 'query',
      inputSchema: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, sql: { type: 'string' } },
      },
      handler: ({ region }, { meta }) => `${region} ${meta['shop.example/trace']}`,
    }),
    { meta: { 'shop.example/trace': 7 } },
  )
  t.teardown(() => tools.close())

  t.equal((await tools.call('query', { region: 'Österreich', sql: '' })).text, 'Österreich 7')
  t.equal((await tools.call('query', { region: ' eu ' }, { meta: {} })).text, ' eu  undefined')
})

t.test('resources and prompts are served beside tools', async t => {
  const tools = await testTools([
    defineResource({ uri: 'docs://style', name: 'Style', handler: () => 'Be brief.' }),
    definePrompt({
      name: 'review',
      arguments: [{ name: 'code', required: true }],
      handler: ({ code }) => `Review ${code}`,
    }),
  ])
  t.teardown(() => tools.close())

  t.match(await tools.listResources(), [{ uri: 'docs://style' }])
  t.match(await tools.readResource('docs://style'), { contents: [{ text: 'Be brief.' }] })
  t.match(await tools.getPrompt('review', { code: 'x' }), { messages: [{ content: { text: 'Review x' } }] })
  await t.rejects(tools.readResource('docs://none'), { message: 'Resource not found: docs://none' })
})

t.test('a definition that cannot be served rejects with its reason, several with all', async t => {
  const bad = { name: 'not a name', handler: () => '' }
  const worse = { name: 'worse', inputSchema: { type: 'string' }, handler: () => '' }

  await t.rejects(testTools(bad), { message: /not a name/ })
  await t.rejects(testTools([bad, worse, add]), { message: /not a name.*worse/ })
})

t.test('a call that ends by `await using` closes its server', async t => {
  let signal: AbortSignal | undefined
  {
    await using tools = await testTools(
      defineTool({ name: 'wait', handler: (_, ctx) => new Promise<string>(() => (signal = ctx.signal)) }),
    )
    void tools.call('wait')
  }
  t.equal(signal?.aborted, true)
})
