// Hooks around calls: their order, what they see, and that they may refuse, change, time and cache.
import { Readable } from 'node:stream'
import t from 'tap'
import { z } from 'zod'
import { defineTool, file, type OnCall, ToolError, text } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { ABLE } from '../../support/input/rounds.ts'
import { until } from '../../support/security/hostile.ts'

const echo = defineTool({
  name: 'echo',
  description: 'Echoes.',
  inputSchema: z.object({ text: z.string().trim(), times: z.number().default(1) }),
  annotations: { readOnlyHint: true },
  handler: ({ text, times }) => text.repeat(times),
})

t.test('hooks run from the outermost to the handler and back, and see the call', async t => {
  const seen: unknown[] = []
  const hook =
    (name: string): OnCall =>
    async (_call, next) => {
      seen.push(name)
      const returned = await next()
      seen.push(`${name} ${returned}`)
      return returned
    }
  const all: OnCall = (call, next) => {
    const { ctx, ...rest } = call
    seen.push(rest, typeof ctx.signal.aborted, ctx.revision)
    return hook('all')(call, next)
  }
  const app = await build(t, { onCall: all, tools: [{ ...echo, onCall: hook('own') }] })

  t.match(await callTool(app, 'echo', { text: ' a ' }), { content: [{ text: 'a' }] })
  t.strictSame(seen, [
    {
      tool: {
        name: 'echo',
        title: undefined,
        description: 'Echoes.',
        annotations: { readOnlyHint: true },
        scopes: [],
        _meta: undefined,
      },
      arguments: { text: 'a', times: 1 },
      caller: undefined,
    },
    'boolean',
    '2026-07-28',
    'all',
    'own',
    'own a',
    'all a',
  ])
})

t.test('a hook sees the caller, and refuses without the handler running', async t => {
  let runs = 0
  const onCall: OnCall = ({ caller, tool }, next) => {
    if (caller?.subject !== 'alice') throw new ToolError(`${tool.name} is for alice.`)
    return next()
  }
  const tool = defineTool({ name: 'count', handler: () => `${++runs}` })
  const app = await build(t, { jwt: { secret: SECRET }, publicUrl: RESOURCE, onCall, tools: [tool] })
  const as = (sub: string) => callTool(app, 'count', {}, { headers: bearer('', { sub }) })

  t.match(await as('bob'), { isError: true, content: [{ text: 'count is for alice.' }] })
  t.match(await as('alice'), { content: [{ text: '1' }] })
})

t.test('a hook changes arguments and results; what it returns is checked', async t => {
  const outputSchema = z.object({ n: z.number() })
  const double: OnCall = async ({ arguments: args }, next) => next({ n: args.n * 2 })
  const tools = [
    defineTool({ name: 'twice', inputSchema: outputSchema, outputSchema, onCall: double, handler: ({ n }) => ({ n }) }),
    defineTool({ name: 'wrong', outputSchema, onCall: () => ({ n: 'many' }), handler: () => ({ n: 1 }) }),
    defineTool({
      name: 'blocks',
      onCall: async (_call, next) => [text('first'), text(String(await next()))],
      handler: () => 'last',
    }),
  ]
  const app = await build(t, { tools })

  t.match(await callTool(app, 'twice', { n: 4 }), { structuredContent: { n: 8 } })
  t.match(await callTool(app, 'wrong'), { isError: true, content: [{ text: /structuredContent n / }] })
  t.match(await callTool(app, 'blocks'), { content: [{ text: 'first' }, { text: 'last' }] })
})

t.test('a hook caches, and repeats a handler that failed', async t => {
  const kept = new Map<string, unknown>()
  let runs = 0
  const cache: OnCall = async ({ tool, arguments: args }, next) => {
    const key = JSON.stringify([tool.name, args])
    if (!kept.has(key)) kept.set(key, await next())
    return kept.get(key)
  }
  const again: OnCall = (_call, next) => next().catch(() => next())
  const flaky = defineTool({
    name: 'flaky',
    onCall: again,
    handler() {
      if (++runs === 1) throw new Error('once')
      return `run ${runs}`
    },
  })
  const app = await build(t, { onCall: cache, tools: [flaky] })

  for (let time = 0; time < 3; time++) t.match(await callTool(app, 'flaky'), { content: [{ text: 'run 2' }] })
  t.equal(runs, 2)
})

t.test(
  'invalid arguments reach no hook; the error of a hook, or of what it left behind, is that of its tool',
  async t => {
    let calls = 0
    const onCall: OnCall = () => {
      calls++
      throw new Error('the cache is gone')
    }
    const app = await build(t, { onCall, tools: [echo] })

    t.match(await callTool(app, 'echo', {}), { isError: true, content: [{ text: /^Invalid arguments for echo/ }] })
    t.equal(calls, 0)
    t.match(await callTool(app, 'echo', { text: 'a' }), { isError: true, content: [{ text: 'the cache is gone' }] })
    t.ok(app.logs.lines.some(({ tool, reason }) => tool === 'echo' && reason === 'the cache is gone'))
  },
)

t.test('a handler that is repeated gets what it was first called with', async t => {
  const seen: unknown[] = []
  const again: OnCall = async ({ arguments: args }, next) => {
    await next()
    const returned = await next()
    seen.push(args)
    return returned
  }
  const inputSchema = z.object({ tags: z.array(z.string()), at: z.iso.date().transform(text => new Date(text)) })
  const tool = defineTool({
    name: 'changes',
    description: 'Changes its arguments.',
    inputSchema,
    onCall: again,
    handler: ({ tags, at }) => `${tags.push('own')} ${at.getFullYear()}`,
  })
  const app = await build(t, { tools: [tool] })

  t.match(await callTool(app, 'changes', { tags: ['a'], at: '2026-01-01' }), { content: [{ text: '2 2026' }] })
  t.strictSame(seen, [{ tags: ['a'], at: new Date('2026-01-01') }])
})

t.test('a file that a hook does not pass on is closed at the end of its call', async t => {
  const streams: Readable[] = []
  const opens = (name: string, onCall: OnCall) =>
    defineTool({
      name,
      description: 'Opens a file.',
      onCall,
      handler: async () => {
        const stream = Readable.from(['text'])
        streams.push(stream)
        return file(stream, { name: 'a.txt', mimeType: 'text/plain' })
      },
    })
  const tools = [
    opens('drops', async (_call, next) => {
      await next()
      return 'ok'
    }),
    opens('repeats', async (_call, next) => {
      await next()
      return next()
    }),
    opens('throws', async (_call, next) => {
      await next()
      throw new Error('no')
    }),
    opens('changes', async (_call, next) => {
      const { source } = (await next()) as { source: Readable }
      return file(
        source.map(chunk => String(chunk).toUpperCase()),
        { name: 'b.txt', mimeType: 'text/plain' },
      )
    }),
    opens('leaves', (_call, next) => {
      void next()
      return 'ok'
    }),
  ]
  const app = await build(t, { tools })

  for (const { name } of tools) {
    const { content } = await callTool(app, name)
    if (name === 'changes') t.match(content, [{ resource: { text: 'TEXT' } }])
    await until(() => streams.every(({ destroyed }) => destroyed), `${name} has closed its file`)
  }
  t.equal(streams.length, tools.length + 1)
})

t.test('questions of a hook and of the handler under the same key are both asked', async t => {
  const question = (message: string) => ({ message, requestedSchema: { type: 'object' as const, properties: {} } })
  const policy: OnCall = async ({ ctx }, next) => {
    const { action } = await ctx.elicit('sure', question('Does the policy allow it?'))
    return action === 'accept' ? `${await next()} ${await next()}` : 'refused'
  }
  const tool = defineTool({
    name: 'wipe',
    description: 'Deletes all files.',
    onCall: policy,
    handler: async (_args, ctx) => (await ctx.elicit('sure', question('Delete all files?'))).action,
  })
  const app = await build(t, { tools: [tool] })
  const ask = async (params: object) =>
    (await call(app, 'tools/call', { name: 'wipe', arguments: {}, ...params }, { capabilities: ABLE })).result

  const first = await ask({})
  t.match(first.inputRequests, { sure: { params: { message: 'Does the policy allow it?' } } })
  const answers = { requestState: first.requestState, inputResponses: { sure: { action: 'accept', content: {} } } }
  const second = await ask(answers)
  t.strictSame(Object.keys(second.inputRequests), ['sure-2'])
  t.match(second.inputRequests, { 'sure-2': { params: { message: 'Delete all files?' } } })
  const last = await ask({ requestState: second.requestState, inputResponses: { 'sure-2': { action: 'decline' } } })
  t.match(last, { content: [{ text: 'decline decline' }] }, 'and the same question once')
})

t.test('the deadline of a tool counts for its hooks', async t => {
  const onCall: OnCall = ({ ctx }) => new Promise(resolve => ctx.signal.addEventListener('abort', resolve))
  const app = await build(t, { tools: [{ ...echo, onCall, timeout: 20 }] })

  t.match(await callTool(app, 'echo', { text: 'a' }), {
    isError: true,
    content: [{ text: 'echo timed out after 20 ms' }],
  })
})

t.test('after the end of its call a handler does not begin', async t => {
  const { promise: isLate, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: refused, reject: resolveRefused } = Promise.withResolvers<never>()
  let runs = 0
  let kept: (() => Promise<unknown>) | undefined
  const onCall: OnCall = async ({ tool }, next) => {
    if (tool.name === 'kept') kept = next
    else await isLate
    return next().catch(error => {
      resolveRefused(error)
      throw error
    })
  }
  const late = defineTool({ name: 'late', timeout: 1, idempotency: true, handler: () => ++runs })
  const app = await build(t, { onCall, tools: [late, defineTool({ name: 'kept', handler: () => ++runs })] })

  t.match(await callTool(app, 'late', { idempotencyKey: '1' }), { isError: true, content: [{ text: /timed out/ }] })
  goOn()
  await t.rejects(refused, { message: 'late does not run: its call has ended' })
  t.equal(runs, 0)

  t.match(await callTool(app, 'kept'), { content: [{ text: '1' }] })
  await t.rejects(kept!(), { message: 'kept does not run: its call has ended' })
  t.equal(runs, 1)
})

t.test('what is no function is refused', async t => {
  await t.rejects(build(t, { onCall: 'log' as never }), { message: 'onCall: expected a function' })
  await t.rejects(build(t, { visible: {} as never }), { message: 'visible: expected a function' })
  await t.rejects(build(t, { tools: [{ ...echo, onCall: 'log' as never }] }), {
    message: /"echo": onCall must be a function/,
  })
  const app = await build(t)
  t.throws(() => app.toolrack.add({ ...echo, visible: true as never }), {
    message: /"echo": visible must be a function/,
  })
  t.equal((await call(app, 'tools/call', { name: 'echo', arguments: {} })).error.code, -32601)
})
