// Callers that an app around the server has verified: what it may say, and what it cannot mean.
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { toolrack } from '../../../src/index.ts'
import { call, jsonLines, request } from '../../support/app.ts'

const echo = { name: 'echo', handler: () => 'ok' }

async function callers(t: Test, caller: unknown) {
  const { stream, lines } = jsonLines()
  const app = Fastify({ logger: { stream } })
  t.teardown(() => app.close())
  app.decorateRequest('caller', null as never)
  app.addHook('onRequest', async request => void (request.caller = caller as never))
  await app.register(toolrack, { tools: [echo] })
  const heard: string[] = []
  app.toolrack.on('ended', ({ outcome }) => heard.push(outcome))
  return { app, lines, heard }
}

t.test('an app may decorate requests with null for nobody', async t => {
  const { app } = await callers(t, null)

  t.match((await call(app, 'tools/call', { name: 'echo', arguments: {} })).result, { content: [{}] })
})

t.test('a caller that the app has made up wrong is refused, and recorded', async t => {
  const wrong = [{}, { sub: 'ann', scopes: [] }, { subject: '', scopes: [] }, { subject: 5, scopes: [] }, 'ann']
  const scopes = [{ subject: 'ann' }, { subject: 'ann', scopes: 'a:write' }, { subject: 'ann', scopes: [7] }]
  for (const caller of [...wrong, ...scopes, { subject: 'ann', scopes: [], claims: null }]) {
    const { app, lines, heard } = await callers(t, caller)
    const { message, headers } = request('tools/call', { name: 'echo', arguments: {} })
    const foreign = { ...headers, origin: 'https://evil.example' }

    t.equal((await app.inject({ method: 'POST', url: '/mcp', headers, payload: message })).statusCode, 500)
    t.equal((await app.inject({ method: 'POST', url: '/mcp', headers: foreign, payload: message })).statusCode, 403)

    t.match(lines.find(({ msg }) => msg === 'internal error')?.err.message, /^caller: expected .*subject/)
    t.strictSame(heard, ['error', 'denied'])
    await t.rejects(
      app.toolrack.serve({
        ...{ door: 'cron', clientKey: 'cron', client: { capabilities: {} }, method: 'ping', params: {} },
        caller: caller as never,
      }),
      { name: 'TypeError' },
    )
  }
})
