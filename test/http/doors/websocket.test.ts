// The door over websockets that docs/reference/kits/door.md shows, with the guards, limits and records of the server.
import { once } from 'node:events'
import type { Test } from 'tap'
import t from 'tap'
import { WebSocket } from 'ws'
import { createServer, defineTool, type EndedRequest, type ServerOptions, ToolError, Type } from '../../../src/index.ts'
import { type CallOptions, listening, request, VERSION } from '../../support/app.ts'
import { ALICE, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { websocketDoor } from '../../support/examples/door/websocket.ts'

const add = defineTool({
  name: 'add',
  inputSchema: Type.Object({ a: Type.Number(), b: Type.Number() }),
  handler: ({ a, b }) => `${a + b}`,
})

async function connect(t: Test, options: ServerOptions, headers: Record<string, string> = {}) {
  const { port, app } = await listening(t, { doors: [websocketDoor()], ...options })
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers })
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  const waiting = new Map<unknown, (message: unknown) => void>()
  const notices: unknown[] = []
  socket.on('message', data => {
    const message = JSON.parse(String(data))
    if (message.id === undefined) notices.push(message)
    else waiting.get(message.id)?.(message)
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const ask = (method: string, params: Record<string, unknown> = {}, options: CallOptions = {}): Promise<any> => {
    const { message } = request(method, params, options)
    socket.send(JSON.stringify(message))
    return new Promise(resolve => waiting.set(message.id, resolve))
  }
  return { app, ask, notices, socket }
}

t.test('a call over a websocket has the result, the check of arguments and the errors of MCP', async t => {
  const { ask, app } = await connect(t, { tools: [add] })

  t.match(await ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } }), {
    result: { content: [{ type: 'text', text: '3' }], resultType: 'complete' },
  })
  t.match(await ask('tools/call', { name: 'add', arguments: { a: 'x' } }), { result: { isError: true } })
  t.match(await ask('tools/call', { name: 'nothing' }), { error: { code: -32602 } })
  t.match(await ask('nothing'), { error: { code: -32601 } })
  t.match(await ask('tools/list'), { result: { tools: [{ name: 'add' }] } })
  t.match(app.audit.lines.filter(({ tool }) => tool === 'add').at(0), { door: 'websocket', outcome: 'ok' })
})

t.test('its records have the revision of MCP that its client speaks', async t => {
  const { ask, app } = await connect(t, { tools: [add] })
  const heard: EndedRequest[] = []
  app.toolrack.on('ended', ended => heard.push(ended))

  await ask('tools/list')

  t.match(heard, [{ door: 'websocket', revision: VERSION }])
  t.match(await app.toolrack.metrics(), new RegExp(`method="tools/list",revision="${VERSION}"`))
})

t.test('progress comes on the connection, and questions come back', async t => {
  const slow = defineTool({
    name: 'slow',
    async handler(_args, ctx) {
      ctx.progress(1, 2, 'half')
      const { content } = await ctx.elicit('word', {
        message: 'Which word?',
        requestedSchema: { type: 'object', properties: { word: { type: 'string' } } },
      })
      return `${content?.['word']}`
    },
  })
  const { ask, notices } = await connect(t, { tools: [slow] })
  const able = { capabilities: { elicitation: { form: {} } }, meta: { progressToken: 7 } }

  const { result } = await ask('tools/call', { name: 'slow' }, able)
  t.match(result, { resultType: 'input_required', inputRequests: { word: { method: 'elicitation/create' } } })
  t.match(notices, [{ method: 'notifications/progress', params: { progressToken: 7, progress: 1, total: 2 } }])

  const inputResponses = { word: { action: 'accept', content: { word: 'tea' } } }
  const params = { name: 'slow', requestState: result.requestState, inputResponses }
  t.match(await ask('tools/call', params, able), { result: { content: [{ text: 'tea' }] } })
})

t.test('the guards hold: a token is asked for, and names the caller', async t => {
  const who = defineTool({ name: 'who', handler: (_args, ctx) => `${ctx.caller?.subject}` })
  const guarded = { tools: [who], jwt: { secret: SECRET, audience: RESOURCE }, publicUrl: RESOURCE }
  const { ask } = await connect(t, guarded, ALICE)
  t.match(await ask('tools/call', { name: 'who' }), { result: { content: [{ text: 'alice' }] } })

  const { port } = await listening(t, { doors: [websocketDoor()], ...guarded })
  const [, response] = await once(new WebSocket(`ws://127.0.0.1:${port}/ws`), 'unexpected-response')
  t.equal(response.statusCode, 401)
})

t.test('a message counts as a request', async t => {
  const { ask } = await connect(t, { tools: [add], rateLimit: { max: 2 } })

  t.match(await ask('tools/list'), { result: {} })
  t.match(await ask('tools/list'), { error: { message: /at most 2 requests/ } })
})

t.test('a client that leaves cancels its calls', async t => {
  const aborted = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const waits = defineTool({
    name: 'waits',
    async handler(_args, { signal }) {
      begun.resolve()
      await once(signal, 'abort')
      aborted.resolve()
      throw new ToolError('stopped')
    },
  })
  const { ask, socket, app } = await connect(t, { tools: [waits] })
  void ask('tools/call', { name: 'waits' })
  await begun.promise
  socket.terminate()
  await aborted.promise
  await app.close()
  t.match(
    app.audit.lines.find(({ tool }) => tool === 'waits'),
    { door: 'websocket', outcome: 'cancelled' },
  )
})

t.test('calls under way are answered before the server closes their connection', async t => {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<string>()
  const waits = defineTool({
    name: 'waits',
    handler() {
      begun.resolve()
      return gate.promise
    },
  })
  const { ask, socket, app } = await connect(t, { tools: [waits] })
  const call = ask('tools/call', { name: 'waits' })
  await begun.promise

  const closed = once(socket, 'close')
  const closing = app.close()
  while ((await ask('tools/list')).error === undefined);
  gate.resolve('done')

  t.match(await call, { result: { content: [{ text: 'done' }] } })
  t.match(await closed, [1001])
  await closing
})

t.test('doors that cannot be opened are refused by name', async t => {
  const refused = (doors: unknown, message: RegExp) =>
    t.rejects(createServer({ doors } as ServerOptions), { name: 'ConfigError', message })
  const open = () => {}

  await refused({}, /^doors: expected an array/)
  await refused([{ name: 'a' }], /open function/)
  await refused([{ name: null, open }], /a name such as websocket, not null/)
  await refused([{ name: 'A b', open }], /a name such as websocket, not "A b"/)
  await refused(
    [
      { name: 'a', open },
      { name: 'a', open },
    ],
    /one door of the name a/,
  )
})
