// Keys in Redis hold another type than this server put there: F2 of test/security/README.md.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { begin, isRefused, shown } from './before.ts'
import { ask, callTool, initialize, look, served, type Timed } from './client.ts'
import { LIMIT } from './fault-tools.ts'
import { type Rig, rig, whenSo } from './rig.ts'
import { isOk } from './trial.ts'

const READY = { status: 'ready' }
let addresses = 0
const isReady = async (url: string) => (await look(url, '/ready')).body.degraded === undefined

// What is not ours is as if it were not there.
const isGone = ({ status, body }: Timed) => [200, 404].includes(status) && [-32602, 40400].includes(body?.error?.code)

/** Puts a list in the place of a key. @returns how to put it back */
async function spoil({ admin }: Rig, key: string): Promise<() => Promise<void>> {
  await admin.rename(key, `${key}:kept`)
  await admin.rpush(key, 'foreign')
  return async () => void (await admin.rename(`${key}:kept`, key))
}

t.test('F2: a key of another type is the trouble of who needs it', { skip: NO_REDIS }, async t => {
  const parts = await rig(t)
  const { url } = parts.cut
  await whenSo(() => isReady(url))
  const { session, taskId } = await begin(t, url)
  const useSession = () => session.call(url, 'tools/call', { name: 'echo', arguments: {} })
  const useTask = () => ask(url, 'tasks/get', { taskId })
  const begins = () => served(() => initialize(url))

  await t.test('a session', async t => {
    const restore = await spoil(parts, `toolrack:session:${session.id}`)
    const spoiled = await useSession()
    const others = await Promise.all([begins(), served(useTask), callTool(url, 'echo')])
    await restore()

    t.ok(isGone(spoiled) || isRefused(spoiled), shown(spoiled))
    t.same(others.filter(answer => !isOk(answer)).map(shown), [])
    t.ok(isOk(await served(useSession)), 'it is there again')
  })

  await t.test('a task', async t => {
    const restore = await spoil(parts, `toolrack:task:${taskId}`)
    const spoiled = await useTask()
    const others = await Promise.all([begins(), served(useSession), served(() => callTool(url, 'job'))])
    await restore()

    t.ok(isGone(spoiled) || isRefused(spoiled), shown(spoiled))
    t.same(others.filter(answer => !isOk(answer)).map(shown), [])
    t.match((await served(useTask)).body, { result: { status: 'input_required' } })
  })

  await t.test('limits', async t => {
    let address = ''
    let keys: string[] = []
    // A replica that Redis does not answer in time counts for itself.
    await whenSo(async () => {
      address = `10.5.0.${++addresses}`
      await callTool(url, 'limited', {}, address)
      keys = await parts.admin.keys('toolrack:limit:*')
      return keys.length >= 2
    })
    await Promise.all(keys.map(key => spoil(parts, key)))
    const answers = await Promise.all(Array.from({ length: LIMIT * 3 }, () => callTool(url, 'limited', {}, address)))

    t.ok(keys.length >= 2, 'of requests, and of the tool')
    t.same(answers.filter(({ status }) => status !== 200).map(shown), [])
    t.equal(answers.filter(isOk).length, LIMIT, 'the replica counts for itself')
    await parts.admin.del(...keys)
  })

  await t.test('what is told of lists', async t => {
    const restore = await spoil(parts, 'toolrack:versions')
    const changed = await callTool(url, 'change')
    await restore()

    t.ok(isOk(changed), shown(changed))
  })

  await whenSo(() => isReady(url))
  t.same((await look(url, '/ready')).body, READY, 'nothing else is degraded')
  t.same(
    parts.cut.lines.filter(line => /UNHANDLED|WARNING/.test(line)),
    [],
  )
})
