// What a handler throws unexpectedly is an error with its place, of each handler one in a while; on a terminal it is a
// warning with its stack.
import t, { type Test } from 'tap'
import { HandlerErrorLog } from '../../../src/execution/handler-error-log.ts'
import { createMask, createSecretMask } from '../../../src/execution/mask.ts'
import { definePrompt, defineResource, defineTool, type ServerOptions, ToolError } from '../../../src/index.ts'
import { LogThrottle, THROTTLE_MS } from '../../../src/request/log-throttle.ts'
import { type App, build, call, callTool, jsonLines } from '../../support/app.ts'
import { until } from '../../support/eventually.ts'
import { fakeLog } from '../../support/fakes.ts'
import { tool } from '../../support/steered-tools.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const SECRET = 'a-secret-of-32-bytes-or-some-more'

const thrower = defineTool({
  name: 'thrower',
  handler() {
    throw new TypeError('no price', { cause: new Error(`refused by ${SECRET}`) })
  },
})
const expecting = defineTool({
  name: 'expecting',
  handler() {
    throw new ToolError('Ask for another SKU.')
  },
})

const linesOf = (app: App, text: string) => app.logs.lines.filter(({ msg }) => msg === text)
/** Debugs, unless `options` say otherwise. */
const rack = (t: Test, options: ServerOptions) =>
  build(t, { stateSecret: SECRET, ...options, jwt: { secret: undefined, ...options.jwt } })

t.test('logs: what a tool throws unexpectedly is an error; a ToolError is not', async t => {
  const app = await rack(t, { tools: [thrower, expecting], logLevel: 'info' })

  await callTool(app, 'thrower')
  await callTool(app, 'expecting')

  const [unexpected, expected] = linesOf(app, 'tool threw')
  t.match(unexpected, {
    level: 50,
    tool: 'thrower',
    reason: 'no price',
    at: /^log-faults\.test\.ts:\d+/,
    requestId: /./,
  })
  t.strictSame(unexpected.causes, ['refused by [secret]'])
  t.match(expected, { level: 30, tool: 'expecting', reason: 'Ask for another SKU.' })
})

t.test('logs: neither is an error of the client, which a handler lets pass', async t => {
  const { faults, log } = faultLog()

  const refused = Object.assign(new Error('not now'), { name: 'Refused' })
  faults.logThrown(log, refused, { text: 'tool threw', name: 'asks', fields: () => ({}) })

  t.match(log.lines, [{ level: 'info' }])
})

t.test('logs: the stack is there at the level debug, masked, and at no other', async t => {
  const debugged = await rack(t, { tools: [thrower, expecting], logLevel: 'debug' })
  const quiet = await rack(t, { tools: [thrower], logLevel: 'info' })
  for (const app of [debugged, quiet]) await callTool(app, 'thrower')
  await callTool(debugged, 'expecting')

  const [unexpected, expected] = linesOf(debugged, 'tool threw')
  t.match(
    unexpected.err.stack,
    /^TypeError: no price\n {4}at .*test\/http\/observability\/log-faults\.test\.ts:\d+:\d+\)?\n[\s\S]*\nCaused by: Error: refused by \[secret\]\n {4}at /,
  )
  t.notMatch(unexpected.err.stack, process.cwd(), 'paths are relative')
  t.notOk('err' in expected, 'what was expected has no stack')
  t.notOk('err' in linesOf(quiet, 'tool threw')[0])
  for (const app of [debugged, quiet]) t.notMatch(app.logs.text, SECRET)
})

t.test('logs: on a terminal it is a warning with its stack', async t => {
  const logs = jsonLines()
  const logStream = Object.assign(logs.stream, { isTTY: true })
  const app = await rack(t, { tools: [thrower], logLevel: 'info', logStream })

  await callTool(app, 'thrower')

  t.match(
    logs.lines.find(({ msg }) => msg === 'tool threw'),
    { level: 40, err: { stack: /^TypeError: no price\n {4}at / } },
  )
})

/** With a clock that the test moves. */
function faultLog() {
  const clock = { nowMs: 0 }
  const mask = createMask([SECRET])
  const secretMask = createSecretMask([SECRET])
  return {
    faults: new HandlerErrorLog({ mask, secretMask, isForPeople: true, now: () => clock.nowMs }),
    log: fakeLog(),
    clock,
    mask,
  }
}

t.test('logs: whatever is thrown, its stack has a bound and no secret', async t => {
  const { faults, log } = faultLog()
  const hostile = new Error(`${SECRET}\n    at ${SECRET}:1:1\n${'x'.repeat(1e6)}`)
  hostile.name = `Name of ${SECRET}`
  hostile.cause = Object.defineProperty(new Error('c'), 'stack', {
    value: `Error: c\n${`    at ${SECRET} (file:///srv/${'y'.repeat(300)}${SECRET}.js:1:2)\n`.repeat(1000)}`,
  })
  const circle = new Error('round')
  circle.cause = circle

  for (const thrown of [hostile, circle, 'text', undefined, null, 7, new Proxy({}, { get: () => SECRET })]) {
    const { stack } = faults.describeOrigin(log, thrown).err!
    t.notMatch(stack, SECRET)
    t.ok(stack.length < 60_000, String(stack.length))
  }
  t.match(faults.describeOrigin(log, 'text').err!.stack, /^Error: text$/)
  t.match(
    faults.describeOrigin(log, hostile).err!.stack,
    /\n {4}at .*faults\.test\.ts/,
    'a long message hides no place',
  )
})

t.test('logs: of 1,000 throws of a tool one is a warning, and the next tells how many were not', async t => {
  const { faults, log, clock } = faultLog()
  const told = (name: string) => ({ text: 'tool threw', name, fields: () => ({ tool: name }) })

  for (let index = 0; index < 1000; index++) faults.logThrown(log, new Error('x'), told('flood'))
  faults.logThrown(log, new Error('x'), told('other'))
  clock.nowMs = THROTTLE_MS
  faults.logThrown(log, new Error('x'), told('flood'))

  const warnings = log.lines.filter(({ level }) => level === 'warn')
  t.strictSame(
    warnings.map(({ fields }) => fields),
    [{ tool: 'flood' }, { tool: 'other' }, { tool: 'flood', before: 999 }],
  )
  t.equal(log.lines.filter(({ level }) => level === 'info').length, 999, 'the rest is there')
})

t.test('logs: names that come and go do not pile up', async t => {
  const silences = new LogThrottle({ now: () => 0 })

  for (let index = 0; index < 5000; index++) t.strictSame(silences.pass(`tool ${index}`), {})

  t.ok(silences.size <= 1000)
})

t.test(
  'logs: calls that fail each time by their deadline or their result are one warning each; of unhandled errors some are told',
  async t => {
    const late = tool('late', () => new Promise(() => {}), { timeout: 1 })
    const odd = defineTool({
      name: 'odd',
      outputSchema: { type: 'object', required: ['a'] },
      handler: () => ({}) as never,
    })
    const leaves = tool('leaves', () => {
      queueMicrotask(() => {
        throw new Error('left')
      })
      return 'left'
    })
    const app = await rack(t, { tools: [late, odd, leaves] })
    for (const name of ['late', 'odd', 'leaves', 'late', 'odd', 'leaves']) await callTool(app, name)
    await until(() => linesOf(app, 'unhandled error of a tool').length === 2, 'both are told')

    const levels = (text: string) => linesOf(app, text).map(({ tool, level }) => [tool, level])
    t.strictSame(levels('tool failed'), [
      ['late', 40],
      ['odd', 40],
      ['late', 30],
      ['odd', 30],
    ])
    t.strictSame(levels('unhandled error of a tool'), [
      ['leaves', 50],
      ['leaves', 50],
    ])
  },
)

t.test('logs: of an isolated tool as much is known: the place, the causes, the stack', async t => {
  const files = {
    'apart.ts': `export default { name: 'apart', isolate: true, handler() {
      throw new RangeError('too far', { cause: new Error('of ${SECRET}', { cause: 'the first' }) })
    } }`,
  }
  const app = await rack(t, { toolsDir: tempFolder(t, files).path, watchTools: false })

  await callTool(app, 'apart')

  t.match(linesOf(app, 'tool threw'), [
    {
      level: 50,
      tool: 'apart',
      reason: 'too far',
      at: /^apart\.ts:2:/,
      causes: ['of [secret]', 'the first'],
      err: { stack: /^RangeError: too far\n {4}at .*apart\.ts:2:[\s\S]*Caused by: Error: of \[secret\]\n {4}at / },
    },
  ])
  t.notMatch(app.logs.text, SECRET)
})

t.test('logs: what a task throws is an error, too, under the request that began it', async t => {
  const app = await rack(t, { tools: [defineTool({ ...thrower, task: 'optional' })], tasks: { inlineMs: 0 } })
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

  const { result } = await call(app, 'tools/call', { name: 'thrower', arguments: {} }, { capabilities })
  await until(() => linesOf(app, 'tool threw').length === 1, 'it was told')

  t.ok(result)
  const [served] = app.audit.lines
  t.match(linesOf(app, 'tool threw'), [{ level: 50, requestId: served.requestId, err: { stack: /no price/ } }])
})

t.test('logs: a prompt that gives what cannot be sent is a warning', async t => {
  const messages = [{ role: 'user', content: { type: 'text', text: 'a', _meta: { a: 1n } } }]
  const app = await rack(t, { prompts: [definePrompt({ name: 'p', handler: () => ({ messages }) as never })] })

  await call(app, 'prompts/get', { name: 'p' })

  t.match(linesOf(app, 'handler failed'), [{ level: 40, reason: /bigint/ }])
})

const handlers = {
  'prompts/get': { name: 'p' },
  'resources/read': { uri: 'a:b' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'q', value: '' } },
} as const

for (const [method, params] of Object.entries(handlers)) {
  t.test(`logs: what the handler of ${method} throws unexpectedly is an error; a ToolError is not`, async t => {
    let thrown: unknown = new TypeError('no text', { cause: SECRET })
    const handler = (): never => {
      throw thrown
    }
    const app = await rack(t, {
      prompts: [definePrompt({ name: 'p', arguments: [{ name: 'q', complete: handler }], handler })],
      resources: [defineResource({ name: 'r', uri: 'a:b', handler })],
    })

    await call(app, method, params)
    thrown = new ToolError('Ask for another.')
    await call(app, method, params)

    const [unexpected, expected] = linesOf(app, 'handler failed')
    t.match(unexpected, {
      level: 50,
      reason: 'no text',
      at: /^log-faults\.test\.ts/,
      causes: ['[secret]'],
      err: { stack: /^TypeError: no text\n {4}at / },
    })
    t.match(expected, { level: 30, reason: 'Ask for another.' })
    t.notOk('err' in expected)
  })
}
