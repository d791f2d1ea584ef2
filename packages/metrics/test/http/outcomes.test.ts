// How a call can end, and which counters that is.
import t, { type Test } from 'tap'
import { defineTool, type ServerOptions, ToolError } from '../../../../src/index.ts'
import { type App, type CallOptions, call, listening, request } from '../../../../test/support/app.ts'
import { audited } from '../../../../test/support/audited.ts'
import { bearer, guarded } from '../../../../test/support/auth/guarded.ts'
import { session } from '../../../../test/support/client/app-client.ts'
import { counted, seriesOf, valueIn } from '../../../../test/support/metrics/series.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { held, job, nextTurn, rack, taskFrom } from '../../../../test/support/tasks/modern.ts'

const CALLS = 'toolrack_tool_calls_total'
const REQUESTS = 'toolrack_requests_total'
const REVISION = '2026-07-28'

interface Counted {
  readonly tool: string
  readonly outcome: string
  /** Of the histogram: '' where it is no failure. */
  readonly error: string
}

/** What a server has counted that has served this one call. */
async function assertCounted(t: Test, app: App, { tool, outcome, error }: Counted): Promise<void> {
  const method = 'tools/call'
  t.strictSame(await counted(app, CALLS), [[{ tool, outcome }, 1]])
  t.strictSame(await counted(app, REQUESTS), [[{ method, revision: REVISION, outcome }, 1]])
  t.strictSame(await counted(app, 'mcp_server_operation_duration_seconds_count'), [
    [{ mcp_method_name: method, gen_ai_tool_name: tool, error_type: error }, 1],
  ])
}

const CASES: [string, string, CallOptions?][] = [
  ['fine', 'ok'],
  ['strict', 'invalid_arguments'],
  ['fails', 'tool_error'],
  ['says', 'tool_error'],
  ['wrong', 'invalid_output'],
  ['slow', 'timed_out'],
  ['confirms', 'unconfirmed'],
  ['asks', 'input_required', { capabilities: { elicitation: { form: {} } } }],
]

for (const [name, outcome, options] of CASES) {
  t.test(`metrics: a call that ends as ${outcome} (${name}) is counted once, as that`, async t => {
    const app = await audited(t)

    await call(app, 'tools/call', { name, arguments: name === 'strict' ? { x: 1 } : {} }, options)

    const error = ['ok', 'input_required'].includes(outcome) ? '' : outcome
    await assertCounted(t, app, { tool: name, outcome, error })
    t.strictSame(await counted(app, 'toolrack_refusals_total'), [])
  })
}

t.test('metrics: a tool that is called too often is limited, and so says its limiter', async t => {
  const app = await audited(t)

  for (let n = 0; n < 3; n++) await call(app, 'tools/call', { name: 'rare', arguments: {} })

  t.equal(await valueIn(app, CALLS, { tool: 'rare', outcome: 'ok' }), 1)
  t.equal(await valueIn(app, CALLS, { tool: 'rare', outcome: 'limited' }), 2)
  t.strictSame(await counted(app, 'toolrack_limiter_decisions_total'), [
    [{ limiter: 'requests', decision: 'allowed' }, 3],
    [{ limiter: 'tools', decision: 'allowed' }, 1],
    [{ limiter: 'tools', decision: 'limited' }, 2],
  ])
})

for (const scopeDenial of ['challenge', 'result'] as const) {
  t.test(`metrics: a call without its scopes is denied, told by ${scopeDenial}`, async t => {
    const app = await guarded(t, { scopes: { denial: scopeDenial } })

    await call(app, 'tools/call', { name: 'closed', arguments: {} }, { headers: bearer() })

    await assertCounted(t, app, { tool: 'closed', outcome: 'denied', error: 'denied' })
  })
}

t.test('metrics: a call whose client leaves is cancelled', async t => {
  const running = Promise.withResolvers<void>()
  const wait = defineTool({
    name: 'wait',
    handler: () => {
      running.resolve()
      return new Promise<never>(() => {})
    },
  })
  const { app, url } = await listening(t, { tools: [wait] })
  const { message, headers } = request('tools/call', { name: 'wait', arguments: {} })
  const { host: _, ...rest } = headers
  const leaving = new AbortController()
  const left = fetch(url, { method: 'POST', headers: rest, body: JSON.stringify(message), signal: leaving.signal })
  await running.promise

  leaving.abort()
  await t.rejects(left)

  await until(async () => (await counted(app, CALLS)).length > 0, 'it is counted')
  await assertCounted(t, app, { tool: 'wait', outcome: 'cancelled', error: 'cancelled' })
  await until(async () => (await valueIn(app, 'toolrack_stray_runs')) === 1, 'its run ignores the abort')
})

t.test('metrics: a call that has no slot left is told from one over its rate: busy', async t => {
  const { tool, release, seen } = held('only', { task: undefined })
  const app = await audited(t, { tools: [tool], limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 } })
  const first = call(app, 'tools/call', { name: 'only', arguments: {} })
  await until(() => seen.begun === 1, 'it runs')

  const { status } = await call(app, 'tools/call', { name: 'only', arguments: {} })

  t.equal(status, 503)
  t.strictSame(await counted(app, CALLS), [[{ tool: 'only', outcome: 'busy' }, 1]])
  release()
  await first
})

const TASK_ENDS: [string, Parameters<typeof job>[1], object?][] = [
  ['ok', () => 'done'],
  ['tool_error', () => Promise.reject(new ToolError('no'))],
  ['invalid_output', () => ({}), { outputSchema: { type: 'object', required: ['a'] } }],
  ['timed_out', () => new Promise(() => {}), { timeout: 10 }],
]

for (const [outcome, handler, more] of TASK_ENDS) {
  t.test(`metrics: a call that goes on as a task is one, and its task ends as ${outcome}`, async t => {
    const app = await rack(t, [job('long', (ctx, args) => nextTurn().then(() => handler(ctx, args)), more)])

    await taskFrom(app, 'long')

    await assertCounted(t, app, { tool: 'long', outcome: 'task', error: '' })
    await until(async () => (await counted(app, 'toolrack_tasks_ended_total')).length > 0, 'it has ended')
    t.strictSame(await counted(app, 'toolrack_tasks_ended_total'), [[{ tool: 'long', outcome }, 1]])
    t.equal((await counted(app, CALLS)).length, 1, 'a task is no second call')
  })
}

t.test('metrics: a task that goes with its session while it runs has ended, and the audit says so', async t => {
  const { tool, seen } = held('long')
  const client = await session(t, { tools: [tool] })
  await client.callTool('long', {}, { task: {} })
  await until(() => seen.begun === 1, 'it runs')

  await client.end()

  await until(async () => (await counted(client.app, 'toolrack_tasks_ended_total')).length > 0, 'it has ended')
  t.strictSame(await counted(client.app, 'toolrack_tasks_ended_total'), [[{ tool: 'long', outcome: 'cancelled' }, 1]])
  const ends = client.app.audit.lines.filter(({ tool, outcome }) => tool === 'long' && outcome !== 'task')
  t.match(ends, [{ method: 'tools/call', task: /./, outcome: 'cancelled' }])
})

for (const revision of ['2025-11-25', '2025-06-18', '2024-11-05']) {
  t.test(`metrics: what a session of ${revision} asks is counted under its revision`, async t => {
    const options: ServerOptions = { tools: [defineTool({ name: 'fine', handler: () => 'fine' })] }
    const client = await session(t, options, { revision })

    await client.callTool('fine')
    await client.call('tools/list')

    const found = await counted(client.app, REQUESTS)
    for (const method of ['initialize', 'tools/call', 'tools/list'])
      t.ok(
        found.some(([labels]) => labels['method'] === method && labels['revision'] === revision),
        method,
      )
    t.ok(found.every(([labels]) => labels['revision'] === revision))
    t.strictSame(await counted(client.app, CALLS), [[{ tool: 'fine', outcome: 'ok' }, 1]])
  })
}

t.test('metrics: what a session cancels is cancelled', async t => {
  const running = Promise.withResolvers<void>()
  const wait = defineTool({ name: 'wait', handler: () => new Promise<never>(() => running.resolve()) })
  const client = await session(t, { tools: [wait] })
  const answered = client.send(client.request('tools/call', { name: 'wait' }, 'x'))
  await running.promise

  await client.notify('notifications/cancelled', { requestId: 'x' })
  await answered

  t.strictSame(await counted(client.app, CALLS), [[{ tool: 'wait', outcome: 'cancelled' }, 1]])
})

t.test('metrics: before 2025-11-25 arguments that do not fit are an error of the protocol, and refused', async t => {
  const strict = defineTool({
    name: 'strict',
    inputSchema: { type: 'object', additionalProperties: false },
    handler: () => 'fine',
  })
  const client = await session(t, { tools: [strict] }, { revision: '2025-06-18' })

  t.equal((await client.callTool('strict', { x: 1 })).error.code, -32602)

  t.strictSame(await counted(client.app, CALLS), [[{ tool: 'strict', outcome: 'invalid_arguments' }, 1]])
})

t.test('metrics: what is refused before it is read is counted by its outcome alone', async t => {
  const app = await guarded(t, { rateLimit: { max: 3 } })
  const post = (headers: object, payload = '{') =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
      payload,
    })

  t.equal((await post({ origin: 'https://evil.example' })).statusCode, 403)
  t.equal((await post({})).statusCode, 401)
  t.equal((await post(bearer())).statusCode, 400)
  for (let n = 0; n < 2; n++) await post(bearer())
  t.equal((await post(bearer())).statusCode, 429)

  const refusals = Object.fromEntries(
    (await counted(app, 'toolrack_refusals_total')).map(([labels, value]) => [labels['outcome'], value]),
  )
  t.strictSame(refusals, { denied: 2, refused: 3, limited: 1 })
  t.strictSame(await counted(app, REQUESTS), [])
})

t.test('metrics: of each call the duration is in the bucket that it belongs to', async t => {
  const sleepy = defineTool({ name: 'sleepy', handler: () => new Promise(resolve => setTimeout(resolve, 60, 'done')) })
  const app = await audited(t, { tools: [sleepy] })

  await call(app, 'tools/call', { name: 'sleepy', arguments: {} })

  const buckets = (await seriesOf(app)).filter(({ name }) => name === 'mcp_server_operation_duration_seconds_bucket')
  t.match(
    buckets.find(({ labels }) => labels['le'] === '0.05'),
    { value: 0 },
  )
  t.match(
    buckets.find(({ labels }) => labels['le'] === '+Inf'),
    { value: 1 },
  )
  const sum = await valueIn(app, 'mcp_server_operation_duration_seconds_sum')
  t.ok(sum !== undefined && sum >= 0.055, `${sum} s`)
})
