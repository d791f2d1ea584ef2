// What the log is told of a throw: a line of the author's own, and causes; whatever was thrown.
import t from 'tap'
import { findErrorOrigin } from '../../../src/execution/error-text.ts'
import { createMask } from '../../../src/execution/mask.ts'
import { defineTool, ToolError } from '../../../src/index.ts'
import { build, call } from '../../support/app.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const mask = createMask(['a-secret-value'])
const told = (thrown: unknown) => findErrorOrigin(thrown, mask)
const withStack = (stack: unknown) => Object.defineProperty(new Error('x'), 'stack', { value: stack })

t.test('the log says in which file and line a handler threw, and what had caused it', async t => {
  const broken = defineTool({
    name: 'broken',
    handler: () => {
      throw new Error('no price', { cause: new Error('connect ECONNREFUSED postgres://u:p@db/x') })
    },
  })
  const app = await build(t, { tools: [broken] })

  const reply = await call(app, 'tools/call', { name: 'broken', arguments: {} })

  t.strictSame(reply.result.content, [{ type: 'text', text: 'no price' }])
  t.match(
    app.logs.lines.find(({ msg }) => msg === 'tool threw'),
    {
      reason: 'no price',
      at: /^thrown\.test\.ts:\d+:\d+$/,
      causes: ['connect ECONNREFUSED postgres://[credentials]@db/x'],
    },
  )
  t.notMatch(app.logs.text, process.cwd())
})

t.test('where it was thrown is told of code of the author only, without folders', async t => {
  const frames = [
    'Error: x',
    '    at node:internal/process/task_queues:95:5',
    '    at query (file:///srv/app/node_modules/pg/lib/client.js:1:2)',
    '    at async Object.handler (file:///srv/app/tools/get-price.ts?version=7:14:9)',
    '    at file:///srv/app/tools/other.ts:1:1',
  ]

  t.strictSame(told(withStack(frames.join('\n'))), { at: 'get-price.ts:14:9' })
  t.strictSame(told(withStack(frames.slice(0, 3).join('\n'))), {})
  t.strictSame(told(withStack('    at C:\\tools\\price.js:3:4')), { at: 'price.js:3:4' })
  t.strictSame(told(withStack('    at /srv/a-secret-value.js:3:4')), { at: '[secret].js:3:4' })
})

t.test('what its author meant for the model has causes, and no place', async t => {
  const cause = new Error('one', { cause: 'two' })

  t.strictSame(told(new ToolError('Ask again.', { cause })), { causes: ['one', 'two'] })
})

t.test('a stack takes time by its length, whatever clients have in it', async t => {
  const hostile = ['?', '?:', ':1', 'a/', ' '].map(each => `    at ${each.repeat(10_000)}`.slice(0, 10_000))

  const ms = cpuMsOf(() => {
    for (const stack of hostile) told(withStack(stack))
  })

  t.ok(ms < 500, `${ms} ms`)
})

t.test('causes have a bound, and a circle ends', async t => {
  const circle = new ToolError('x')
  circle.cause = circle

  t.strictSame(told(circle), { causes: ['x', 'x', 'x'] })
})

t.test('whatever is thrown, nothing is thrown here', async t => {
  const trap = new Proxy(
    {},
    {
      get() {
        throw new Error('no')
      },
    },
  )
  const getter = Object.defineProperty(new Error('x'), 'cause', {
    get() {
      throw new Error('no')
    },
  })

  for (const thrown of [undefined, null, 7, 'text', trap, withStack(7), withStack('x'.repeat(1e6)), () => 1])
    t.strictSame(told(thrown), {})
  t.match(told(getter), { at: /^thrown\.test/ })
})
