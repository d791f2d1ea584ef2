// Requests that are quiet for long: their stream opens, so that neither a proxy nor a client gives up on them.
// Spec 2026-07-28: basic/transports/streamable-http, "Receiving Messages".
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { definePrompt, defineResource, type ServerOptions } from '../../../src/index.ts'
import { listening, stream } from '../../support/app.ts'
import { connected, open } from '../../support/client/app-client.ts'
import { type Headers, urlOf } from '../../support/client/transport.ts'
import { taskTool } from '../../support/legacy/tasking.ts'
import type { CallOptions } from '../../support/request.ts'
import { stuckTool, tool } from '../../support/steered-tools.ts'

t.jobs = 8

/** So that a server that stays silent fails the test, and does not hold it up. */
const SILENT_MS = 10_000
const WITHOUT: Headers = { 'mcp-session-id': undefined }

/** Work that goes on until the client has the headers of its answer. */
function untilHeard() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = async (): Promise<string> => {
    return Promise.race([promise.then(() => 'done'), sleep(SILENT_MS, 'silence', { ref: false })])
  }
  return { work, heard: resolve }
}

function served(work: () => Promise<string>): ServerOptions {
  return {
    tools: [tool('slow', work), taskTool('job', work), tool('alone', work, { concurrency: 1 })],
    resources: [
      defineResource({ uri: 'memory://slow', name: 'slow', handler: work }),
      defineResource({
        uriTemplate: 'memory://{name}',
        name: 'template',
        handler: work,
        complete: { name: async () => [await work()] },
      }),
    ],
    prompts: [definePrompt({ name: 'slow', handler: work })],
  }
}

const send = (t: Test, url: string, [method, params, options]: [string, Record<string, unknown>?, CallOptions?]) =>
  stream(t, url, method, params, options)

const MODERN: readonly [string, Record<string, unknown>, CallOptions?][] = [
  ['tools/call', { name: 'slow' }],
  ['tools/call', { name: 'slow' }, { meta: { progressToken: 1 } }],
  ['resources/read', { uri: 'memory://slow' }],
  ['prompts/get', { name: 'slow' }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'memory://{name}' }, argument: { name: 'name', value: '' } },
  ],
]

for (const [method, params, options = {}] of MODERN) {
  t.test(`2026-07-28: ${method}${options.meta === undefined ? '' : ' with a progressToken'}`, async t => {
    const { work, heard } = untilHeard()
    const { url } = await listening(t, served(work))

    const stream = await send(t, url, [method, params, options])
    t.equal(stream.headers['content-type'], 'text/event-stream')
    heard()

    t.match(JSON.stringify((await stream.last()).result), /"done"/)
    t.equal(stream.messages.length, 1)
  })
}

const LEGACY: readonly [string, object][] = [
  ['tools/call', { name: 'slow' }],
  ['resources/read', { uri: 'memory://slow' }],
  ['prompts/get', { name: 'slow' }],
]

for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']) {
  for (const [kind, over] of [
    ['in a session', {}],
    ['without a session', WITHOUT],
  ] as const) {
    if (kind === 'without a session' && revision < '2025') continue
    t.test(`${revision} ${kind}`, async t => {
      const { work, heard } = untilHeard()
      const client = await connected(t, served(work), { revision })

      const streams = await Promise.all(
        LEGACY.map(([method, params]) => client.post(client.request(method, params), over)),
      )
      heard()

      for (const stream of streams) {
        t.equal(stream.headers['content-type'], 'text/event-stream')
        t.match(JSON.stringify((await stream.last()).result), /"done"/)
      }
    })
  }
}

for (const [kind, over] of [
  ['in a session', {}],
  ['without a session', WITHOUT],
] as const) {
  t.test(`a batch ${kind}`, async t => {
    const { work, heard } = untilHeard()
    const client = await connected(t, served(work), { revision: '2025-03-26' })
    const batch = [client.request('ping', {}, 'quick'), client.request('tools/call', { name: 'slow' }, 'slow')]

    const stream = await client.post(batch, over)
    t.equal(stream.headers['content-type'], 'text/event-stream')
    heard()

    t.match(JSON.stringify((await stream.last()).result), /"done"/)
    t.strictSame(stream.messages.map(({ id }) => id).sort(), ['quick', 'slow'])
  })

  t.test(`tasks/result ${kind}`, async t => {
    const { work, heard } = untilHeard()
    const client = await connected(t, { ...served(work), tasks: { inlineMs: 0 } })
    const { result } = await client.call('tools/call', { name: 'job', arguments: {}, task: {} }, over)

    const stream = await client.post(client.request('tasks/result', { taskId: result.task.taskId }), over)
    t.equal(stream.headers['content-type'], 'text/event-stream')
    heard()

    t.match((await stream.last()).result, { content: [{ text: 'done' }] })
  })
}

t.test('plain HTTP, if the client prefers events', async t => {
  const { work, heard } = untilHeard()
  const { url } = await listening(t, served(work))

  const stream = await fetch(new URL('/tools/slow', url), { method: 'POST', headers: { accept: 'text/event-stream' } })
  t.equal(stream.headers.get('content-type'), 'text/event-stream')
  heard()

  t.match(await stream.text(), /^: keep-alive\n\nevent: result\ndata: .*done/)
})

t.test('a call that waits for its turn', async t => {
  const { work, heard } = untilHeard()
  const { url } = await listening(t, served(work))

  const streams = await Promise.all([1, 2].map(() => send(t, url, ['tools/call', { name: 'alone' }])))
  heard()

  for (const stream of streams) {
    t.equal(stream.headers['content-type'], 'text/event-stream')
    t.match((await stream.last()).result, { content: [{ text: 'done' }] })
  }
})

t.test('an error after the stream has opened is its last event, with the status 200 in the audit', async t => {
  const { work, heard } = untilHeard()
  const asks = tool('asks', async ctx => {
    await work()
    return ctx.listRoots('roots')
  })
  const { url, app } = await listening(t, { tools: [asks] })

  const stream = await send(t, url, ['tools/call', { name: 'asks' }])
  t.equal(stream.status, 200)
  heard()

  t.match((await stream.last()).error, { code: -32021 })
  t.equal(app.audit.lines.at(-1).status, undefined)
})

for (const [kind, post] of [
  ['2026-07-28', (t: Test, url: string) => send(t, url, ['tools/call', { name: 'stuck' }])],
  [
    'without a session',
    async (t: Test, _url: string, app: Parameters<typeof open>[1]) => {
      const client = await open(t, app)
      return client.post(client.request('tools/call', { name: 'stuck' }), WITHOUT)
    },
  ],
  [
    'a batch without a session',
    async (t: Test, _url: string, app: Parameters<typeof open>[1]) => {
      const client = await open(t, app, { revision: '2025-03-26' })
      return client.post([client.request('tools/call', { name: 'stuck' })], WITHOUT)
    },
  ],
] as const) {
  t.test(`a client that leaves after the stream has opened cancels its call: ${kind}`, async t => {
    const { stuck, aborted } = stuckTool()
    const { url, app } = await listening(t, { tools: [stuck] })

    const stream = await post(t, url, app)
    t.equal(stream.headers['content-type'], 'text/event-stream')
    stream.close()

    t.match(await aborted, /client left/i)
  })
}

for (const accept of ['application/json', '*/*', 'application/json, */*;q=0.1', undefined]) {
  t.test(`a client that does not name SSE gets JSON, however long it takes: ${accept}`, async t => {
    const { work, heard } = untilHeard()
    const client = await connected(t, served(work), { revision: '2025-03-26' })
    const call = () => client.request('tools/call', { name: 'slow' })

    const streams = [
      send(t, urlOf(client.app), ['tools/call', { name: 'slow' }, { headers: { accept } }]),
      ...[call(), [call()]].flatMap(message => [
        client.post(message, { accept }),
        client.post(message, { ...WITHOUT, accept }),
      ]),
    ]
    // Opened later than the others would have been.
    const named = await client.post(call())
    heard()

    t.equal(named.headers['content-type'], 'text/event-stream')
    for (const stream of await Promise.all(streams)) {
      t.match(stream.headers['content-type'], /^application\/json/)
      await stream.ended
      t.match(stream.text, /"done"/)
    }
  })
}

t.test('a client that does not name SSE, but accepts it, gets the progress that it asks for', async t => {
  const reports = tool('reports', async ctx => {
    ctx.progress(1)
    return 'done'
  })
  const { url } = await listening(t, { tools: [reports] })

  const options = { headers: { accept: '*/*' }, meta: { progressToken: 1 } }
  const stream = await send(t, url, ['tools/call', { name: 'reports' }, options])

  t.equal(stream.headers['content-type'], 'text/event-stream')
  t.match(await stream.last(), { result: { content: [{ text: 'done' }] } })
})
