// Who is verified, on whichever replica: what belongs to somebody is nobody else's there either.
import t from 'tap'
import { signed } from '../../support/auth/tokens.ts'
import { pair, said, whoSaid } from '../../support/replicas/pair.ts'
import { openAt, textOf } from '../../support/replicas/session.ts'
import { ask, callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const JWT_SECRET = 'a secret of the tests, and long enough'
const JWT_AUDIENCE = 'https://tools.example/mcp'
const bearer = (sub: string, tenant?: string) => ({
  authorization: `Bearer ${signed(JWT_SECRET, { aud: JWT_AUDIENCE, sub, tenant })}`,
})
const UNKNOWN_TASK = -32602

const TENANTS = { JWT_CLAIMS: 'tenant', TENANT_CLAIM: 'tenant' }
const OWNERS = [
  { name: 'two subjects', environment: {}, alice: bearer('alice'), bob: bearer('bob') },
  {
    name: 'one subject of two tenants',
    environment: TENANTS,
    alice: bearer('alice', 'acme'),
    bob: bearer('alice', 'globex'),
  },
  {
    name: 'one subject, in a tenant and in none',
    environment: TENANTS,
    alice: bearer('alice', 'acme'),
    bob: bearer('alice'),
  },
]

for (const { name, environment, alice, bob } of OWNERS)
  t.test(`owners: ${name}, on two replicas`, { skip: NO_REDIS }, async t => {
    const replicas = await pair(t, { JWT_SECRET, JWT_AUDIENCE, ...environment })
    const { one, two, proxy } = replicas

    t.test('the session of one subject is unknown to another, on both', async t => {
      const client = await openAt(t, one, alice)
      const news = await client.at(one).listen()
      const call = await client.at(one).postTool('held', { name: 'hers' }, { _meta: { progressToken: 1 } })
      await call.next(0)
      const thief = client.as(bob)

      for (const at of [one, two, proxy]) {
        t.equal((await thief.at(at).post(thief.request('ping'))).status, 404)
        t.equal((await thief.at(at).listen(call.events[0]!.id)).status, 404)
        t.equal((await thief.at(at).notify('notifications/cancelled', { requestId: 'r1' })).status, 404)
        t.equal((await thief.at(at).end()).status, 404)
        t.equal((await client.as({}).at(at).post(client.request('ping'))).status, 401)
      }
      t.strictSame((await client.at(two).call('ping')).result, {})
      t.notOk(news.hasEnded || call.hasEnded)
      t.equal((await client.at(two).end()).status, 204)
      await said(one, 'hers aborted: The client cancelled the request')
    })

    t.test('the task of one subject is unknown to another, on both', async t => {
      const { taskId } = (
        await ask(one, 'tools/call', { name: 'job', arguments: { name: 'her job' } }, { headers: alice })
      ).result
      const { here, there } = await whoSaid('her job began', replicas)
      const stranger = await openAt(t, two, bob)

      for (const at of [one, two]) {
        t.equal((await ask(at, 'tasks/get', { taskId }, { headers: bob })).error?.code, UNKNOWN_TASK)
        t.equal((await ask(at, 'tasks/cancel', { taskId }, { headers: bob })).error?.code, UNKNOWN_TASK)
        t.equal(
          (await ask(at, 'tasks/update', { taskId, inputResponses: {} }, { headers: bob })).error?.code,
          UNKNOWN_TASK,
        )
        t.equal((await stranger.at(at).call('tasks/result', { taskId })).error?.code, UNKNOWN_TASK)
        t.strictSame((await stranger.at(at).call('tasks/list')).result.tasks, [])
        t.equal((await ask(at, 'tasks/get', { taskId }, { headers: alice })).result.status, 'working')
      }
      const hers = await openAt(t, there, alice)
      t.equal((await hers.at(there).call('tasks/list')).result.tasks[0].taskId, taskId)
      await ask(there, 'tasks/cancel', { taskId }, { headers: alice })
      await said(here, 'her job aborted: The client cancelled the request')
    })

    t.test('the requestState of one subject is not that of another, on both', async t => {
      const { requestState } = (await ask(one, 'tools/call', { name: 'greet', arguments: {} }, { headers: alice }))
        .result
      const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } }
      const round = { name: 'greet', arguments: {}, requestState, inputResponses }

      for (const at of [one, two]) t.equal((await ask(at, 'tools/call', round, { headers: bob })).error?.code, -32602)
      t.equal((await ask(two, 'tools/call', round, { headers: alice })).result.content[0].text, 'Hello Ada')
    })

    t.test('one subject has many sessions, on both, at once', async t => {
      const clients = await Promise.all([one, two, proxy].map(at => openAt(t, at, alice)))
      for (const at of [one, two]) t.equal((await callTool(at, 'where')).status, 401)

      for (const client of clients) t.match(await textOf(client.at(proxy).postTool('where')), /^\d+$/)
    })
  })
