// What belongs to a caller is useless to another. Issuer and subject together name a caller.
import t from 'tap'
import { defineResource } from '../../../src/index.ts'
import { call, listening } from '../../support/app.ts'
import {
  ALICE,
  form,
  guarded,
  OTHERS,
  PROMPTS,
  RESOURCE,
  RESOURCES,
  SECRET,
  TOOLS,
} from '../../support/auth/guarded.ts'
import { inject, socket } from '../../support/client/transport.ts'
import { ELICITS, isUnknown } from '../../support/security/hosted.ts'
import { until } from '../../support/security/hostile.ts'
import { callOf, handshake } from '../../support/security/sessions.ts'

t.test('B25: requestState', async t => {
  const app = await guarded(t)
  const asking = (headers: Record<string, string>, more: object = {}) =>
    call(app, 'tools/call', { name: 'asks', arguments: {}, ...more }, { headers, capabilities: ELICITS })
  const { requestState } = (await asking(ALICE)).result
  const answered = { requestState, inputResponses: { word: { action: 'accept', content: { word: 'x' } } } }

  for (const [who, headers] of Object.entries(OTHERS)) {
    const { error } = await asking(headers, answered)
    t.match(error, { code: -32602, message: /^Invalid requestState: it was given to someone else/ }, who)
  }
  t.match((await asking(ALICE, answered)).result.content[0].text, 'alice {"word":"x"}')
})

t.test('A31: requestState of one resource is refused for another, whatever else is said', async t => {
  const uris = ['doc:a', 'doc:b']
  const asks = uris.map(uri =>
    defineResource({
      uri,
      name: uri,
      async handler(_uri, _variables, ctx) {
        const { content } = await ctx.elicit('k', { message: 'k?', requestedSchema: form })
        return `${uri} ${JSON.stringify(content)}`
      },
    }),
  )
  const app = await guarded(t, { resources: asks })
  const read = (uri: string, more: object = {}) =>
    call(app, 'resources/read', { uri, name: 'same', ...more }, { headers: ALICE, capabilities: ELICITS })
  const { requestState } = (await read('doc:a')).result

  t.match((await read('doc:b', { requestState })).error, { message: /it was given for another request/ })
  t.match((await read('doc:a', { requestState })).result, { resultType: 'input_required' })
})

t.test('B25: cursors of every list', async t => {
  const app = await guarded(t, { pageSize: 1 })
  for (const method of ['tools/list', 'resources/list', 'prompts/list']) {
    const { nextCursor: cursor } = (await call(app, method, {}, { headers: ALICE })).result
    for (const [who, headers] of Object.entries(OTHERS)) {
      const { error } = await call(app, method, { cursor }, { headers })
      t.match(error, { code: -32602, message: /^Invalid cursor/ }, `${method} ${who}`)
    }
    t.equal((await call(app, method, { cursor }, { headers: ALICE })).error, undefined)
  }
})

t.test('B25: a session, its streams by Last-Event-ID, its questions, and its end', async t => {
  const { app, port } = await listening(t, {
    jwt: { secret: SECRET },
    publicUrl: RESOURCE,
    rateLimit: { max: 1_000_000 },
    tools: TOOLS,
    resources: RESOURCES,
    prompts: PROMPTS,
  })
  const opened = await socket(port, t).send({ body: handshake(undefined, ELICITS), headers: ALICE })
  const session = String(opened.headers['mcp-session-id'])
  const asked = await socket(port, t).stream({ session, body: callOf('asks'), headers: ALICE })
  const question = await asked.find(({ method }) => method === 'elicitation/create')
  const lastEventId = asked.events.findLast(({ id }) => id !== undefined)!.id!
  const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'stolen' } } }

  for (const [who, headers] of Object.entries(OTHERS)) {
    isUnknown(t, await inject(app).send({ session, body: answer, headers }), `${who} answers`)
    isUnknown(t, await inject(app).send({ session, body: callOf('free'), headers }), `${who} calls`)
    isUnknown(
      t,
      await inject(app).send({ session, method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }),
      who,
    )
    isUnknown(t, await inject(app).send({ session, method: 'DELETE', headers }), `${who} ends`)
    const own = await socket(port, t).send({ body: handshake(), headers })
    const stolen = { ...headers, 'last-event-id': lastEventId }
    const begun = await socket(port, t).stream({ session: String(own.headers['mcp-session-id']), headers: stolen })
    await until(() => begun.events.length > 0, 'a stream began')
    t.strictSame(begun.messages, [], `${who} comes back to a stream of alice`)
  }
  const hers = { ...answer, result: { action: 'accept', content: { word: 'hers' } } }
  t.equal((await inject(app).send({ session, body: hers, headers: ALICE })).status, 202)
  const { result } = await asked.find(({ id }) => id === 1)
  t.equal(result.content[0].text, 'alice {"word":"hers"}')
})
