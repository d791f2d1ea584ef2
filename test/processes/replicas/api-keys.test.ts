// API keys on two replicas: a key is replaced by another of its subject, and its work goes on, on
// whichever replica.
import t from 'tap'
import { keysFile, testKey } from '../../support/auth/api-keys.ts'
import { pair, said, until, whoSaid } from '../../support/replicas/pair.ts'
import { openAt } from '../../support/replicas/session.ts'
import { ask } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const UNKNOWN_TASK = -32602

t.test('a key that is replaced: session, stream and task', { skip: NO_REDIS }, async t => {
  const [old, next, stranger] = [testKey(), testKey(), testKey({ subject: 'ci' })]
  const file = keysFile(t, old, next, stranger)
  const replicas = await pair(t, { API_KEYS_FILE: file.path })
  const { one, two } = replicas
  const client = await openAt(t, one, old.headers)
  const news = await client.at(one).listen()
  const job = { name: 'job', arguments: { name: 'the job' } }
  const { taskId } = (await ask(one, 'tools/call', job, { headers: old.headers })).result
  const { here } = await whoSaid('the job began', replicas)

  file.set(next, stranger)
  await until(async () => {
    const statuses = await Promise.all([one, two].map(at => client.at(at).post(client.request('ping'))))
    return statuses.every(({ status }) => status === 401)
  }, 'both replicas refuse the old key')
  await until(() => news.hasEnded, 'its stream has ended')

  const successor = client.as(next.headers)
  for (const at of [one, two]) {
    t.equal((await successor.at(at).post(successor.request('ping'))).status, 200)
    t.equal((await ask(at, 'tasks/get', { taskId }, { headers: next.headers })).result.status, 'working')
    t.equal((await ask(at, 'tasks/get', { taskId }, { headers: stranger.headers })).error?.code, UNKNOWN_TASK)
  }
  await ask(two, 'tasks/cancel', { taskId }, { headers: next.headers })
  await said(here, 'the job aborted: The client cancelled the request')
})
