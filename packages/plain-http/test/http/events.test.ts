// Plain HTTP: a client that accepts events sees progress and logs as they come, then the result.
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { defineTool, ToolError } from '../../../../src/index.ts'
import { build, listening } from '../../../../test/support/app.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { PROBLEM, plain, problemOf } from '../../../../test/support/plain.ts'

const EVENTS = { accept: 'text/event-stream' }

const readEvents = (text: string) =>
  text
    .split('\n\n')
    .filter(each => each !== '' && !each.startsWith(':'))
    .map(each => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(each) ?? []
      return [event, JSON.parse(data ?? 'null')]
    })

const works = defineTool({
  name: 'works',
  inputSchema: { type: 'object', properties: { ends: { type: 'string' } } },
  async handler(args, ctx) {
    ctx.progress(1, 2, 'half')
    ctx.log.warning('watch out', { n: 1 })
    const { ends } = args as { ends?: string }
    if (ends === 'badly') throw new ToolError('No paper')
    if (ends === 'asking') await ctx.confirm('Sure?')
    return { done: true }
  },
})
const quiet = defineTool({ name: 'quiet', handler: () => 'ok' })

t.test('progress, log and result are events of these names', async t => {
  const reply = await plain(await build(t, { tools: [works] }), '/tools/works', { method: 'POST', headers: EVENTS })

  t.equal(reply.type, 'text/event-stream')
  t.equal(reply.headers['x-content-type-options'], 'nosniff')
  t.strictSame(readEvents(reply.text), [
    ['progress', { progress: 1, total: 2, message: 'half' }],
    ['log', { level: 'warning', logger: 'works', data: { message: 'watch out', data: { n: 1 } } }],
    ['result', { done: true }],
  ])
})

t.test('a result without events before it is an event, too', async t => {
  const reply = await plain(await build(t, { tools: [quiet] }), '/tools/quiet', { method: 'POST', headers: EVENTS })

  t.strictSame(readEvents(reply.text), [['result', { content: [{ type: 'text', text: 'ok' }] }]])
})

t.test('what goes wrong in a stream is its last event; before it, a problem with its status', async t => {
  const app = await build(t, { tools: [works] })

  for (const [ends, name] of [
    ['badly', 'tool-error'],
    ['asking', 'question'],
  ] as const) {
    const events = readEvents((await plain(app, '/tools/works', { form: `ends=${ends}`, headers: EVENTS })).text)
    const [event, problem] = events.at(-1)!
    t.strictSame([event, problemOf(problem)], ['problem', name])
  }
  const early = await plain(app, '/tools/works', { json: { ends: 1 }, headers: EVENTS })
  t.strictSame([early.status, early.type], [422, PROBLEM])
  t.equal((await plain(app, '/tools/nothing', { method: 'POST', headers: EVENTS })).status, 404)
})

t.test('JSON is what a client gets that prefers it, or accepts anything', async t => {
  const app = await build(t, { tools: [works] })

  for (const accept of [
    '*/*',
    'text/event-stream;q=0.5, application/json',
    'application/json, text/event-stream',
    'text/*;q=0.1, application/json',
  ])
    t.equal(
      (await plain(app, '/tools/works', { method: 'POST', headers: { accept } })).type,
      'application/json',
      accept,
    )
  for (const accept of ['text/event-stream, */*', 'text/event-stream, application/json;q=0.9'])
    t.equal(
      (await plain(app, '/tools/works', { method: 'POST', headers: { accept } })).type,
      'text/event-stream',
      accept,
    )
})

t.test('a task is an event of a stream that is open', async t => {
  const task = defineTool({
    name: 'long',
    task: 'required',
    async handler(_args, ctx) {
      await new Promise(resolve => ctx.signal.addEventListener('abort', resolve))
      return ''
    },
  })
  const app = await build(t, { tools: [task], tasks: { inlineMs: 0 } })

  const { status, body } = await plain(app, '/tools/long', { method: 'POST', headers: EVENTS })

  t.equal(status, 202)
  t.equal((await plain(app, body.url, { method: 'DELETE' })).status, 204)
})

t.test('a client that leaves cancels its call, with events or without', async t => {
  let begun = 0
  let cancelled = 0
  const held = defineTool({
    name: 'held',
    handler: (_args, ctx) => {
      ctx.progress(++begun)
      return new Promise(resolve =>
        ctx.signal.addEventListener('abort', () => {
          cancelled++
          resolve('late')
        }),
      )
    },
  })
  const { port, app } = await listening(t, { tools: [held] })

  for (const headers of [EVENTS, { accept: 'application/json' }]) {
    const before = begun
    const request = http.request({ port, method: 'POST', path: '/tools/held', headers })
    request.on('error', () => {})
    request.end()
    if (headers === EVENTS) await once(request, 'response')
    await eventually(() => begun > before, 'the call has begun')
    request.destroy()
    await eventually(() => cancelled === begun, 'the call is cancelled')
  }
  await eventually(() => app.audit.lines.some(({ kind }) => kind === 'client-left'), 'it is audited')
})

t.test('a client of HTTP/1.0 gets its events, and the end of the connection', async t => {
  const { port } = await listening(t, { tools: [works] })
  const socket = connect(port, '127.0.0.1')
  // Not ended from here: a server ends what the client has ended, with or without an answer.
  socket.write(
    'POST /tools/works HTTP/1.0\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Length: 0\r\n\r\n',
  )
  let text = ''
  for await (const chunk of socket) text += chunk

  t.match(text, /^HTTP\/1\.1 200 /)
  t.notMatch(text, /transfer-encoding/i)
  t.equal(readEvents(text.slice(text.indexOf('\r\n\r\n') + 4)).at(-1)![0], 'result')
})
