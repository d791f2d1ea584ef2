// What is left in Redis, by what name and for how long, when all of the shared state has been used.
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { State } from '../../../src/state/state.ts'
import type { Task } from '../../../src/state/task.ts'
import { toCompleted } from '../../../src/tasks/transitions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { started } from '../../../test/support/state.ts'
import { aTask, resultOf } from '../../state/src/suites/a-task.ts'
import { OPENING } from '../../state/src/suites/sessions.ts'
import { redis } from '../src/state.ts'
import { ANSWER_MS, keysOf, newPrefix, operator, withRedis } from './links.ts'

const MINUTE = 60_000

/** What must not be read in the name of a key. */
const PRIVATE = 'https://issuer.example private-subject'

/** Those that are meant to stay: a secret that all replicas share, counters that only grow, and what the queue knows of itself. */
const STAY = [
  'queue:tasks:events',
  'queue:tasks:id',
  'queue:tasks:marker',
  'queue:tasks:meta',
  'state-secret',
  'versions',
]

const open = ({ url }: { url: string }, t: Test, prefix: string): Promise<State> =>
  started(t, redis({ url, prefix, answerMs: ANSWER_MS }), { sessionTtlMs: MINUTE })

function tasksOf({ tasks, taskQueue }: State) {
  const running = new Map<string, () => void>()
  taskQueue.onTask(id => new Promise(resolve => running.set(id, () => resolve(true))))
  const turnOf = ({ id, run, clientKey }: Task) => ({ id, run, clientKey, hasQuota: true })
  return {
    running,
    async begin(task: Task) {
      await tasks.create(task)
      await taskQueue.add(turnOf(task))
    },
  }
}

/** Every adapter, as a server uses them. @returns how to let the task end that still runs */
async function useAll(state: State): Promise<() => void> {
  state.secret.follow(() => {})
  state.versions.subscribe(
    () => ({ tools: 1, prompts: 0, resources: 0 }),
    () => {},
  )
  state.versions.publishListChange('tools')
  const session = await state.sessions.open({ ...OPENING, owner: PRIVATE })
  await state.sessions.find(session.id)
  await state.sessions.save({ ...session, logLevel: 'error' })
  const stream = { session: session.id, stream: 'stream-1' }
  await state.events.begin(stream)
  await state.events.append(stream, { seq: 1, json: JSON.stringify({ text: PRIVATE }) })
  await state.events.finish(stream)
  await state.requestLimits.take(`subject ${PRIVATE}`, { max: 5, windowMs: MINUTE })
  await state.toolLimits.take(`tool subject ${PRIVATE}`, { max: 5, windowMs: MINUTE })
  await state.usedTokens.consumeOnce('spent-1', Date.now() + MINUTE)

  const { running, begin } = tasksOf(state)
  const mine = { owner: PRIVATE, clientKey: `subject ${PRIVATE}`, session: session.id }
  const [ended, runs, removed] = [aTask(mine), aTask(mine), aTask(mine)]
  for (const task of [ended, runs, removed]) await begin(task)
  await eventually(() => running.size === 3, 'all run')
  await state.tasks.change(ended.id, toCompleted(resultOf(PRIVATE)))
  await state.tasks.remove(removed.id)
  for (const { id } of [ended, removed]) running.get(id)!()
  return running.get(runs.id)!
}

async function withoutTtl(client: Redis, prefix: string): Promise<string[]> {
  const keys = await keysOf(client, `${prefix}:*`)
  const ttls = await Promise.all(keys.map(key => client.pttl(key)))
  return keys.filter((_key, index) => ttls[index] === -1).map(key => key.slice(prefix.length + 1))
}

withRedis(t, 'keys in Redis', (t, server) => {
  t.test('keys in Redis: all of them go by themselves, but for the few that are meant to stay', async t => {
    const prefix = newPrefix()
    const client = operator(server, t)
    const end = await useAll(await open(server, t, prefix))
    const names = (await keysOf(client, `${prefix}:*`)).map(key => key.slice(prefix.length + 1))
    for (const kind of ['session:', 'events:', 'stream:', 'limit:', 'spent:', 'task:', 'tasks', 'lane:', 'versions'])
      t.ok(
        names.some(name => name.startsWith(kind)),
        `there is a key of ${kind}`,
      )

    const ofRunning = (await withoutTtl(client, prefix)).filter(name => !STAY.includes(name))
    t.strictSame(
      ofRunning.filter(name => !name.startsWith('queue:tasks:')),
      [],
      'only jobs stay while a task runs',
    )

    end()

    // A job is there for as long as it waits or runs.
    const strays = async () => (await withoutTtl(client, prefix)).filter(name => !STAY.includes(name))
    await eventually(async () => (await strays()).length === 0, `none stays; ${await strays()}`)
    t.strictSame(await strays(), [])
    t.ok((await withoutTtl(client, prefix)).includes('state-secret'))
  })

  t.test('keys in Redis: no name of a key says who it is, what was asked, or what was answered', async t => {
    const prefix = newPrefix()
    const client = operator(server, t)
    ;(await useAll(await open(server, t, prefix)))()

    const keys = await keysOf(client)

    t.ok(keys.some(key => key.startsWith(prefix)))
    t.strictSame(
      keys.filter(key => /issuer|private|subject|https?:/.test(key)),
      [],
    )
  })

  t.test('keys in Redis: every key and channel begins with the prefix', async t => {
    const prefix = newPrefix()
    const client = operator(server, t)
    await client.flushall()
    ;(await useAll(await open(server, t, prefix)))()

    const names = [...(await keysOf(client)), ...((await client.pubsub('CHANNELS')) as string[])]

    t.ok(names.length > 15)
    t.strictSame(
      names.filter(name => !name.startsWith(`${prefix}:`)),
      [],
    )
  })

  t.test('F11: keys in Redis: servers of two prefixes in one Redis know nothing of each other', async t => {
    const [mine, theirs] = [await open(server, t, newPrefix()), await open(server, t, newPrefix())]
    const heard: unknown[] = []
    theirs.tasks.onChange(id => heard.push(id))
    theirs.replicas.subscribe(word => heard.push(word))
    theirs.versions.subscribe(
      () => ({ tools: 0, prompts: 0, resources: 0 }),
      change => change.kind === 'updated' && heard.push(change),
    )
    const secrets: string[] = []
    for (const state of [mine, theirs]) state.secret.follow(secret => secrets.push(secret))
    const ran: string[] = []
    theirs.taskQueue.onTask(async id => ran.push(id) > 0)
    const session = await mine.sessions.open(OPENING)
    const task = aTask()
    const rule = { max: 1, windowMs: MINUTE }

    await mine.tasks.create(task)
    await mine.taskQueue.add({ id: task.id, run: 0, clientKey: 'client', hasQuota: false })
    await mine.tasks.change(task.id, toCompleted(resultOf('done')))
    await mine.events.begin({ session: session.id, stream: 's' })
    await mine.requestLimits.take('a', rule)
    await mine.usedTokens.consumeOnce('a', Date.now() + MINUTE)
    mine.replicas.publish({ kind: 'ended', session: session.id })
    mine.versions.publishResourceUpdate('file:///a')

    t.equal(await theirs.sessions.find(session.id), undefined)
    t.equal(await theirs.tasks.find(task.id), undefined)
    t.strictSame(await theirs.tasks.list('owner', 10), [])
    t.equal(await theirs.events.read({ session: session.id, stream: 's' }, 0), undefined)
    t.match(await theirs.requestLimits.take('a', rule), { isAllowed: true })
    t.equal(await theirs.usedTokens.consumeOnce('a', Date.now() + MINUTE), true)
    await eventually(() => secrets.length === 2, 'each has a secret')
    t.not(secrets[0], secrets[1])
    t.strictSame([heard, ran], [[], []])
  })
})
