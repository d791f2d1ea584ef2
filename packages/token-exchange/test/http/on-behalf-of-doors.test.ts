// Tokens for other services, wherever a caller comes from: each door, each kind of handler, hooks,
// and tasks.
import { inspect } from 'node:util'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import toolrack, {
  type Caller,
  definePrompt,
  defineResource,
  defineTool,
  type OnCall,
  type TokenRequest,
  type ToolCaller,
} from '../../../../src/index.ts'
import { build, call, callTool, listening } from '../../../../test/support/app.ts'
import { keyed, testKey } from '../../../../test/support/auth/api-keys.ts'
import {
  ALICE,
  asking,
  exchangeSettings,
  type Given,
  onBehalf,
  subjectOf,
} from '../../../../test/support/auth/on-behalf.ts'
import { tokenService } from '../../../../test/support/auth/token-service.ts'
import { open } from '../../../../test/support/client/app-client.ts'
import { accept } from '../../../../test/support/input/rounds.ts'
import { connect } from '../../../../test/support/legacy/http-sse-client.ts'
import { plain } from '../../../../test/support/plain.ts'
import { job, taskFrom, textOf, update, whenAsking, whenEnded } from '../../../../test/support/tasks/modern.ts'
import { keysOf, nameOf } from '../../../../test/support/tasks/modern-asking.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'

const REPORTS = { audience: 'reports' }

/** A server, and what its token service has been asked by. */
async function served(t: Test, options: Parameters<typeof onBehalf>[2] = {}) {
  const service = await tokenService(t)
  const { app, given } = await onBehalf(t, service, options)
  return { service, app, given, subjects: () => service.asked.map(({ form }) => form['subject_token']) }
}

t.test('a session: each call has the token that came with it', async t => {
  const { app, given, subjects } = await served(t)
  const newer = subjectOf({ sub: 'alice', jti: 'newer' })
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const session = await open(t, app, { revision, headers: ALICE.headers })
    const call = session.request('tools/call', { name: 'ask', arguments: { audience: revision } })
    t.notOk((await session.send(call, ALICE.headers)).result.isError, revision)
    const next = session.request('tools/call', { name: 'ask', arguments: { audience: revision } })
    t.notOk((await session.send(next, newer.headers)).result.isError, revision)
  }
  t.equal(given.tokens.length, 8)
  t.strictSame(subjects(), Array(4).fill([ALICE.token, newer.token]).flat())
})

t.test('HTTP+SSE, and plain HTTP', async t => {
  const service = await tokenService(t)
  const given: Given = { tokens: [] }
  const settings = { ...exchangeSettings(service), httpSse: true, plainHttp: true, tools: [asking(given)] }
  const { app, url } = await listening(t, settings)

  const client = await connect(t, url, { over: ALICE.headers })
  await client.ask('initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  t.notOk((await client.ask('tools/call', { name: 'ask', arguments: { audience: 'sse' } })).result.isError)
  const reply = await plain(app, '/tools/ask', { json: { audience: 'plain' }, headers: ALICE.headers })
  t.equal(reply.status, 200)

  t.match(given.tokens, [/\.sse\./, /\.plain\./])
  t.equal(new Set(service.asked.map(({ form }) => form['subject_token'])).size, 1)
})

t.test('prompts, resources and hooks', async t => {
  const seen: string[] = []
  const onCall: OnCall = async ({ caller, ctx }, next) => {
    seen.push(await caller!.tokenFor(REPORTS), await ctx.caller!.tokenFor(REPORTS))
    return next()
  }
  const look = async (caller: ToolCaller | undefined) => {
    seen.push(await caller!.tokenFor(REPORTS))
    return 'seen'
  }
  const { app, service } = await served(t, {
    onCall,
    tools: [defineTool({ name: 'plain', handler: () => 'done' })],
    prompts: [definePrompt({ name: 'p', handler: (_args, { caller }) => look(caller) })],
    resources: [defineResource({ uri: 'doc:r', name: 'r', handler: (_uri, _values, { caller }) => look(caller) })],
  })

  t.notOk((await callTool(app, 'plain', {}, ALICE)).isError)
  t.equal((await call(app, 'prompts/get', { name: 'p' }, ALICE)).error, undefined)
  t.equal((await call(app, 'resources/read', { uri: 'doc:r' }, ALICE)).error, undefined)

  t.equal(seen.length, 4)
  t.equal(new Set(seen).size, 1)
  t.equal(service.asked.length, 1)
})

t.test('a prompt that is refused a token says why', async t => {
  const { app } = await served(t, {
    tools: [],
    prompts: [definePrompt({ name: 'p', handler: (_args, { caller }) => caller!.tokenFor({}) })],
  })
  t.match((await call(app, 'prompts/get', { name: 'p' }, ALICE)).error, { message: /tokenFor: expected an audience/ })
})

t.test('a caller with an API key has no token to exchange, also in a task; nobody is asked', async t => {
  const service = await tokenService(t)
  const given: Given = { tokens: [] }
  const settings = exchangeSettings(service)
  const key = testKey()
  const tools = [asking(given), job('work', ctx => ctx.caller!.tokenFor(REPORTS))]
  const { app } = await keyed(t, [key], { ...settings, tools, tasks: { inlineMs: 0 } })

  t.match(await callTool(app, 'ask', REPORTS, key), { isError: true, content: [{ text: /has an API key, and only/ }] })
  const task = await whenEnded(app, await taskFrom(app, 'work', {}, key), key)
  t.match(textOf(task), /has an API key, and only/)
  t.notOk((await callTool(app, 'ask', REPORTS, ALICE)).isError, 'tokens beside keys are exchanged')
  t.equal(service.asked.length, 1)
})

t.test('an app that verifies callers itself may give them a tokenFor of its own', async t => {
  const caller = {
    subject: 'alice',
    scopes: [],
    tokenFor: async ({ audience }: TokenRequest) => `${audience} by the app`,
  }
  const asks = defineTool({ name: 'asks', handler: (_args, { caller }) => caller!.tokenFor(REPORTS) })
  const served = async (t: Test, who: Caller) => {
    const app = Fastify()
    t.teardown(() => app.close())
    app.decorateRequest('caller', undefined)
    app.addHook('onRequest', async request => void (request.caller = who))
    await app.register(toolrack, { tools: [asks] })
    return callTool(app, 'asks')
  }
  t.equal((await served(t, caller)).content[0].text, 'reports by the app')
  t.match(await served(t, { subject: 'alice', scopes: [] }), { isError: true, content: [{ text: /are not set/ }] })
})

t.test('a caller of a class of the app stays one', async t => {
  class Employee implements Caller {
    readonly subject = 'alice'
    readonly scopes = []
    get greeting() {
      return `Hello ${this.subject}`
    }
  }
  const asks = defineTool({
    name: 'asks',
    handler: (_args, { caller }) =>
      `${(caller as unknown as Employee).greeting} ${caller instanceof Employee} ${typeof caller!.tokenFor}`,
  })
  const app = Fastify()
  t.teardown(() => app.close())
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async request => void (request.caller = new Employee()))
  await app.register(toolrack, { tools: [asks] })
  t.equal((await callTool(app, 'asks')).content[0].text, 'Hello alice true function')
})

t.test('no function that a handler can reach by its context gives the token of the caller', async t => {
  const found: unknown[] = []
  const spy = defineTool({
    name: 'spy',
    handler(_args, ctx) {
      for (let level: object = ctx; level !== Object.prototype; level = Object.getPrototypeOf(level))
        for (const owner of [level, level.constructor])
          for (const { value } of Object.values(Object.getOwnPropertyDescriptors(owner)))
            if (typeof value === 'function') found.push(tryCall(value, ctx))
      found.push(ctx, ctx.caller)
      return 'done'
    },
  })
  const { app } = await served(t, { tools: [spy] })

  await callTool(app, 'spy', {}, ALICE)

  const seen = inspect(found, { depth: 10, getters: true, showHidden: true })
  t.match(seen, "subject: 'alice'")
  t.notMatch(seen, ALICE.token)
})

function tryCall(member: (ctx: unknown) => unknown, ctx: unknown): unknown {
  try {
    return member.call(ctx, ctx)
  } catch (error) {
    return error
  }
}

t.test('without access control there is no caller', async t => {
  const app = await build(t, {
    tools: [defineTool({ name: 'ask', handler: (_args, { caller }) => String(caller) })],
  })
  t.equal((await callTool(app, 'ask')).content[0].text, 'undefined')
})

t.test('an isolated tool asks the server, and never has the token of its caller', async t => {
  const service = await tokenService(t)
  const { path } = tempFolder(t, {
    'isolated.ts': `
      import { inspect } from 'node:util'
      export default {
        name: 'isolated',
        isolate: true,
        async handler({ request }, { caller }) {
          const tokens = await Promise.all([caller.tokenFor(request), caller.tokenFor(request)])
          const all = inspect([caller, process.env, process.argv], { showHidden: true, depth: null })
          return JSON.stringify({ tokens, all, listed: Object.keys(caller) })
        },
        inputSchema: { type: 'object', properties: { request: {} } },
      }`,
  })
  const app = await build(t, { ...exchangeSettings(service), toolsDir: path, watchTools: false })
  const answers = (request: unknown) => callTool(app, 'isolated', { request }, ALICE)

  const { tokens, all, listed } = JSON.parse((await answers(REPORTS)).content[0].text)
  t.match(tokens, [/^given\./, /^given\./])
  t.equal(tokens[0], tokens[1])
  t.equal(service.asked.length, 1)
  t.notOk(all.includes(ALICE.token), 'nowhere in its process')
  t.notOk(listed.includes('tokenFor'))
  t.match(await answers({}), { isError: true, content: [{ text: /tokenFor: expected an audience/ }] })
  t.match(await answers(7), { isError: true, content: [{ text: /tokenFor: expected an audience/ }] })
  service.answer = (_, response) =>
    void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_target"}')
  t.match(await answers({ audience: 'other' }), { isError: true, content: [{ text: /invalid_target/ }] })
})

t.test('a task asks with the token of its call, in each of its turns', async t => {
  const given: string[] = []
  const isTask = Promise.withResolvers<void>()
  const { app, subjects } = await served(t, {
    tasks: { inlineMs: 0 },
    drainMs: 20,
    tools: [
      job('work', async (ctx, { audience }) => {
        given.push(await ctx.caller!.tokenFor({ audience: String(audience) }))
        // What it asks before there is a task would be asked by the call.
        await isTask.promise
        const name = await nameOf(ctx)
        given.push(await ctx.caller!.tokenFor({ audience: `${audience}-again` }))
        return `for ${name}`
      }),
    ],
  })
  const newer = subjectOf({ sub: 'alice', jti: 'newer' })

  const taskId = await taskFrom(app, 'work', { audience: 'reports' }, ALICE)
  isTask.resolve()
  await whenAsking(app, taskId, newer)
  await update(
    app,
    { taskId, inputResponses: { [keysOf(await whenAsking(app, taskId, newer))[0]!]: accept({ name: 'Ada' }) } },
    newer,
  )

  t.equal(textOf(await whenEnded(app, taskId, newer)), 'for Ada')
  t.match(given, [/\.reports\./, /\.reports\./, /\.reports-again\./])
  t.strictSame(subjects(), [ALICE.token, ALICE.token], 'the token of the call, although a newer one looks after it')
})
