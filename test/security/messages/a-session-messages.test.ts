// Messages of sessions: what they cancel, and what they smuggle in from other revisions.
import t from 'tap'
import { definePrompt, defineResource, defineTool, type ToolContext } from '../../../src/index.ts'
import { META } from '../../support/app.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { until, wired } from '../../support/security/hostile.ts'
import { assertServed, attackIn, BATCHES, callOf, inSession, openSessionAt } from '../../support/security/sessions.ts'

const echoOf = (id: unknown, message = `m${id}`) => ({ ...callOf('echo', { message }), id })

t.test('a session cancels requests of its own only, and by their very id', async t => {
  const aborted: string[] = []
  const hangs = defineTool({
    name: 'hangs',
    inputSchema: { type: 'object' },
    handler: (args, { signal }) =>
      new Promise(end => {
        signal.addEventListener('abort', () => {
          aborted.push(String(args['who']))
          end('aborted')
        })
      }),
  })
  const { app, port } = await wired(t, [hangs])
  const [hers, his] = [await openSessionAt(t, port), await openSessionAt(t, port)]
  const cancel = (session: string, requestId: unknown) =>
    inject(app).send({
      session,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'x'.repeat(9000) } },
    })
  const calling = await socket(port, t).stream({ session: hers, body: callOf('hangs', { who: 'hers' }, 7) })

  for (const id of [7, '7']) t.equal((await cancel(his, id)).status, 202)
  for (const id of ['7', 7.5, null, {}, [7], '__proto__', undefined]) t.equal((await cancel(hers, id)).status, 202)
  t.same(aborted, [])
  t.notOk(calling.hasEnded)

  t.equal((await cancel(hers, 7)).status, 202)
  await until(() => aborted.length === 1, 'it was aborted')
  await calling.ended
  t.same(calling.messages, [])
})

const seen: unknown[] = []
const asks = (name: string) =>
  defineTool({
    name,
    inputSchema: { type: 'object' },
    handler: async (_args: object, ctx: ToolContext) => {
      seen.push(ctx.meta, ctx.revision)
      return JSON.stringify(
        await ctx.elicit('k', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
      )
    },
  })

t.test('requestState and inputResponses are of another revision: in a session they answer nothing', async t => {
  const { port } = await wired(t, [
    asks('asks'),
    definePrompt({
      name: 'asks',
      handler: async ctx =>
        JSON.stringify(
          await (ctx as unknown as ToolContext).elicit('k', {
            message: 'm',
            requestedSchema: { type: 'object', properties: {} },
          }),
        ),
    }),
    defineResource({ uri: 'memory://asks', name: 'r', handler: () => 'x' }),
  ])
  const session = await openSessionAt(t, port, { capabilities: { elicitation: {} } })
  const smuggled = { inputResponses: { k: { action: 'accept', content: { forged: true } } }, requestState: 'forged' }

  for (const [index, more] of [
    { inputResponses: smuggled.inputResponses },
    smuggled,
    { requestState: { a: 1 } },
    { inputResponses: 7 },
  ].entries()) {
    const body = { ...callOf('asks', {}, index), params: { name: 'asks', arguments: {}, ...more } }
    const called = await socket(port, t).stream({ session, body })
    const { id } = await called.find(({ method }) => method === 'elicitation/create')
    await socket(port, t).stream({ session, body: { jsonrpc: '2.0', id: id!, result: { action: 'decline' } } })
    await called.ended
    t.match(called.messages.at(-1), { id: index, result: { content: [{ text: '{"action":"decline"}' }] } })
    t.notMatch(called.text, /forged/)
  }
})

t.test('metadata of a modern request makes a message one of a modern revision, which names no session', async t => {
  const { app, session, received } = await inSession(t)
  const metas = [
    { [`${META}protocolVersion`]: '2026-07-28' },
    { [`${META}protocolVersion`]: '2025-11-25' },
    { [`${META}clientCapabilities`]: { elicitation: {} } },
    { [`${META}clientInfo`]: { name: 'x', version: '1' } },
  ]

  for (const _meta of metas)
    for (const version of [undefined, '2025-11-25', '2026-07-28']) {
      const body = { ...echoOf(1), params: { ...echoOf(1).params, _meta } }
      const got = await attackIn(app, { session, body, headers: { 'mcp-protocol-version': version } })
      t.equal(got.status, 400, JSON.stringify(_meta))
      t.ok([-32020, -32022, -32602].includes(got.message!.error.code), `${got.message!.error.code}`)
    }
  t.same(received, [])
  await assertServed(app, session)
})

t.test('what a session is, its client cannot say in a request', async t => {
  const { app, session } = await inSession(t, BATCHES, { tools: [asks('asks')] })
  seen.length = 0
  const metas: unknown[] = [
    { [`${META}logLevel`]: 'debug' },
    { progressToken: {} },
    { progressToken: 1.5 },
    'x',
    [],
    null,
    { progressToken: 'x'.repeat(2000) },
  ]

  for (const _meta of metas) {
    const body = { ...callOf('asks'), params: { name: 'asks', arguments: {}, _meta } }
    const got = await attackIn(app, { session, body }, BATCHES)
    const { error, result } = got.message!
    t.ok(error !== undefined || result.isError === true, 'its capabilities are those of the handshake')
  }
  for (const each of seen)
    t.ok(
      typeof each === 'string'
        ? each === BATCHES
        : (each as Record<string, unknown>)[`${META}protocolVersion`] === BATCHES,
    )
  await assertServed(app, session)
})
