// Extension io.modelcontextprotocol/tasks: tasks/get returns exactly what the underlying request would have returned.
import t from 'tap'
import { defineTool, ToolError, Type } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { CANARY } from '../../support/security/hostile.ts'
import { type Handler, job, nextTurn, rack, start, taskFrom, whenEnded } from '../../support/tasks/modern.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

const thrown = (value: unknown) => () => {
  throw value
}
/** What each has in its text, and what nobody may see of it. */
const HANDLERS: Record<string, [handler: Handler, text: RegExp, hidden?: string]> = {
  text: [() => 'plain', /^plain$/],
  structured: [() => ({ a: [1, { b: null }] }), /"a"/],
  nothing: [() => undefined, /^/],
  characters: [() => 'a\u001b[31mb\u202ec\u{e0041}', /^abc$/, '\u202e'],
  image: [() => ({ type: 'image', data: 'AAAA', mimeType: 'image/png' }), /^/],
  large: [() => 'x'.repeat(20_000), /too large: over 10000 bytes/, 'xxx'],
  bigint: [() => ({ a: 10n }), /a is a bigint/],
  cyclic: [() => cyclic, /is circular/],
  function: [() => () => 1, /is a function/],
  blocks: [() => ({ content: [{ type: 'video' }] }), /content\.0\.type/],
  throws: [thrown(new Error('broken')), /^broken$/],
  tool: [thrown(new ToolError('no luck')), /^no luck$/],
  string: [thrown('only a text'), /only a text/],
  undefined: [thrown(undefined), /./],
  secret: [thrown(new Error(`the key ${CANARY} was refused`)), /^the key \[secret\] was refused$/, CANARY],
  path: [thrown(new Error(`ENOENT: open '${process.cwd()}/x.csv'`)), /open '\[path\]'/, process.cwd()],
  getter: [
    () => ({
      get a() {
        throw new Error(CANARY)
      },
    }),
    /reading it threw/,
    CANARY,
  ],
}

const tools = Object.entries(HANDLERS).flatMap(([name, [handler]]) => [
  job(name, handler),
  job(`${name}-later`, async (ctx, args) => {
    await nextTurn()
    return handler(ctx, args)
  }),
])

const SERVER = 'io.modelcontextprotocol/serverInfo'

/** Without what names the server, which every result has and no task's. */
function bare({ _meta = {}, ...result }: Record<string, unknown>) {
  const { [SERVER]: _, ...meta } = _meta as Record<string, unknown>
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result
}

for (const [name, [, text, hidden]] of Object.entries(HANDLERS)) {
  t.test(`tasks/get: a result passes the steps of a call: ${name}`, async t => {
    const options = { limits: { maxResultBytes: 10_000 } }
    const [app, inline] = [
      await rack(t, tools, options),
      await rack(t, tools, { ...options, tasks: { inlineMs: 60_000 } }),
    ]

    for (const tool of [name, `${name}-later`]) {
      const called = bare((await start(app, tool, {}, { capabilities: {} })).result)
      const task = await whenEnded(app, await taskFrom(app, tool))
      const waited = bare((await start(inline, tool)).result)

      t.strictSame(task.result, called)
      t.strictSame(waited, called)
      t.match((called['content'] as { text?: string }[])[0]?.text ?? '', text)
      t.equal(task.status, 'completed')
    }
    const seen = app.logs.text + inline.logs.text
    if (hidden !== undefined) t.notOk(seen.includes(hidden), 'nor does the log show it')
  })
}

t.test('tasks/get: what breaks its outputSchema is completed with isError', async t => {
  const outputSchema = Type.Object({ n: Type.Integer() })
  const typed = defineTool({ name: 'typed', task: 'optional', outputSchema, handler: () => ({ n: 'x' }) as never })
  const app = await rack(t, [typed, job('right', () => ({ n: 5 }), { outputSchema })])

  const [wrong, right] = [await taskFrom(app, 'typed'), await taskFrom(app, 'right')]

  t.match((await whenEnded(app, wrong)).result, { isError: true, content: [{ text: /typed.*n must be/s }] })
  t.match((await whenEnded(app, right)).result, { structuredContent: { n: 5 } })
})

t.test('tasks/get: where only a ToolError may speak, other errors give a reference', async t => {
  const app = await rack(t, [job('throws', thrown(new Error('inner'))), job('tells', thrown(new ToolError('outer')))], {
    errorMessages: 'tool-errors',
  })

  const [throws, tells] = [await taskFrom(app, 'throws'), await taskFrom(app, 'tells')]

  t.match((await whenEnded(app, tells)).result.content, [{ text: 'outer' }])
  const task = await whenEnded(app, throws)
  t.match(task.result.content, [{ text: /^Tool failed \(ref \S+\)$/ }])
  t.notMatch(JSON.stringify(task), 'inner')
})

t.test('tasks: a tool is given its own arguments, its caller, its meta and its revision', async t => {
  const app = await rack(t, [
    job('looks', async (ctx, args) => {
      const before = JSON.stringify(args)
      args['n'] = 'changed'
      await ctx.elicit('k', { message: 'k', requestedSchema: { type: 'object', properties: {} } })
      return { before, id: ctx.requestId, revision: ctx.revision, meta: ctx.meta['com.example/x'], caller: ctx.caller }
    }),
  ])
  const options = { id: 'call-1', meta: { 'com.example/x': 'y' } }
  const { result } = await start(app, 'looks', { n: 1 }, options)

  const again = { requestState: result.requestState, inputResponses: { k: { action: 'accept', content: {} } } }
  const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const handed = await call(
    app,
    'tools/call',
    { name: 'looks', arguments: { n: 1 }, ...again },
    { ...options, capabilities },
  )
  const task = await whenEnded(app, handed.result.taskId)

  t.strictSame(task.result.structuredContent ?? JSON.parse(task.result.content[0].text), {
    before: '{"n":1}',
    id: 'call-1',
    revision: '2026-07-28',
    meta: 'y',
  })
})
