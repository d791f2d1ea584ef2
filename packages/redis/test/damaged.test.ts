// F11 (test/security/README.md): a damaged number in Redis is ignored, and put right with its next use.
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { MAX_EVENTS_PER_STREAM } from '../../../src/state/events.ts'
import type { ListVersions } from '../../../src/state/sessions.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { aTask, counted } from '../../state/src/suites/a-task.ts'
import { LONG, OPENING } from '../../state/src/suites/sessions.ts'
import { RedisEvents } from '../src/events.ts'
import { RedisLimits } from '../src/limits.ts'
import { RedisVersions } from '../src/list-versions.ts'
import { RedisSessions } from '../src/sessions.ts'
import { RedisTaskQueue } from '../src/task-queue.ts'
import { RedisTasks } from '../src/tasks.ts'
import { busTo, linkTo, newPrefix, operator, withRedis } from './links.ts'

/** What somebody may make of a number. */
const DAMAGED = [
  '1e308',
  '-1e308',
  '1e400',
  'inf',
  '-inf',
  'nan',
  'abc',
  '',
  '-7',
  '1.5',
  '9'.repeat(400),
  '9007199254740993',
]
/** The same in JSON, as far as it can be said there. */
const DAMAGED_JSON = ['1e308', '1e400', '-7', '1.5', '"7"', 'null', '{}', '[]', 'true', '9007199254740993']

withRedis(t, 'damaged numbers in Redis', (t, server) => {
  /** A replica that hears of lists. */
  async function listener(t: Test, prefix: string) {
    const { link, bus } = await busTo(server, t, prefix)
    const versions = new RedisVersions(link, bus)
    let known: ListVersions = { tools: 0, prompts: 0, resources: 0 }
    versions.subscribe(
      () => known,
      change => {
        if (change.kind !== 'versions') return
        const { tools, prompts, resources } = change.versions
        known = {
          tools: Math.max(known.tools, tools),
          prompts: Math.max(known.prompts, prompts),
          resources: Math.max(known.resources, resources),
        }
      },
    )
    return {
      get tools() {
        return known.tools
      },
      change() {
        known = { ...known, tools: known.tools + 1 }
        versions.publishListChange('tools')
      },
    }
  }

  const KINDS: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
    ...Object.fromEntries(
      DAMAGED.map(text => [
        `the counter ${text.slice(0, 20)}`,
        (redis: Redis, key: string) => redis.hset(key, 'tools', text),
      ]),
    ),
    text: (redis, key) => redis.set(key, '1e308'),
    'a list': (redis, key) => redis.rpush(key, 'tools'),
    'a sorted set': (redis, key) => redis.zadd(key, 1e308, 'tools'),
  }

  for (const [what, damage] of Object.entries(KINDS)) {
    t.test(`damaged numbers in Redis: changes of lists are told with ${what} in the place of their count`, async t => {
      const prefix = newPrefix()
      const key = `${prefix}:versions`
      const redis = operator(server, t)
      const [one, two] = [await listener(t, prefix), await listener(t, prefix)]
      one.change()
      await eventually(() => two.tools === 1, 'it is told')
      await redis.del(key)
      await damage(redis, key)

      one.change()
      await eventually(() => two.tools === 2, 'it is told all the same')
      two.change()
      await eventually(() => one.tools === 3, 'the other way too')

      t.equal(await redis.hget(key, 'tools'), '3')
    })
  }

  t.test('damaged numbers in Redis: what a session has seen', async t => {
    const { link, prefix } = await linkTo(server, t)
    const sessions = new RedisSessions(link, LONG)
    const redis = operator(server, t)
    const { id } = await sessions.open({ ...OPENING, seen: { tools: 3, prompts: 2, resources: 1 } })
    const key = `${prefix}:session:${id}`
    const whole = (await redis.get(key))!

    for (const damaged of DAMAGED_JSON) {
      await redis.set(key, whole.replace('"tools":3', `"tools":${damaged}`))
      t.strictSame((await sessions.find(id))?.seen, { tools: 0, prompts: 2, resources: 1 }, damaged)
    }
  })

  t.test('damaged numbers in Redis: what is counted of the tasks of a client, and of all', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus, { maxTasksPerClient: 3 })
    const redis = operator(server, t)

    for (const damaged of DAMAGED) {
      const task = aTask()
      await store.create(task)
      const fields = await redis.hkeys(`${prefix}:task-usage`)
      t.equal(fields.length, 3)
      for (const field of fields) await redis.hset(`${prefix}:task-usage`, field, damaged)
      await redis.hset(`${prefix}:task-holds`, task.id, `${'9'.repeat(400)} client`)

      const next = aTask()
      await store.create(next)
      t.match(await store.change(task.id, counted), { rounds: 1 }, damaged)
      for (const { id } of [task, next]) await store.remove(id)

      t.equal(await store.find(task.id), undefined)
      await redis.del(`${prefix}:task-usage`)
    }
    t.ok(link.isUp)
  })

  t.test('damaged numbers in Redis: the bound of tasks holds again when those have ended', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus, { maxTasksPerClient: 2 })
    const redis = operator(server, t)
    const old = aTask()
    await store.create(old)
    for (const field of await redis.hkeys(`${prefix}:task-usage`))
      await redis.hset(`${prefix}:task-usage`, field, '1e308')
    await store.remove(old.id)

    await store.create(aTask())
    await store.create(aTask())

    await t.rejects(async () => store.create(aTask()), { code: 42900 })
  })

  t.test('damaged numbers in Redis: the version of a task by which its steps are told apart', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus)
    const redis = operator(server, t)
    const task = aTask()
    await store.create(task)
    let rounds = 0

    for (const damaged of DAMAGED) {
      await redis.hset(`${prefix}:task:${task.id}`, 'version', damaged)
      t.match(await store.change(task.id, counted), { rounds: ++rounds }, damaged)
    }
    await redis.hdel(`${prefix}:task:${task.id}`, 'version')
    t.match(await store.change(task.id, counted), { rounds: ++rounds }, 'it is missing')
    await Promise.all(Array.from({ length: 20 }, () => store.change(task.id, counted)))
    t.match(await store.find(task.id), { rounds: rounds + 20 }, 'steps at once are still told apart')
  })

  t.test('damaged numbers in Redis: a task with a number that is none is not found', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus)
    const redis = operator(server, t)
    const task = aTask({ createdAtMs: 1_700_000_000_001, updatedAtMs: 1_700_000_000_002, ttlMs: 60_003, size: 40_004 })
    await store.create(task)
    const key = `${prefix}:task:${task.id}`
    const whole = (await redis.hget(key, 'json'))!

    for (const field of ['createdAtMs', 'updatedAtMs', 'ttlMs', 'size', 'run', 'turn', 'version'])
      for (const damaged of DAMAGED_JSON) {
        const json = whole.replace(new RegExp(`"${field}":\\d+`), `"${field}":${damaged}`)
        if (json === whole) t.fail(field)
        await redis.hset(key, 'json', json)
        t.equal(await store.find(task.id), undefined, `${field} ${damaged}`)
      }
    await redis.hset(key, 'json', whole.replace('"createdAtMs":1700000000001', '"createdAtMs":8640000000000001'))
    t.equal(await store.find(task.id), undefined, 'no date has such a time')
  })

  t.test('damaged numbers in Redis: the size of a stream, whose bounds hold all the same', async t => {
    const redis = operator(server, t)
    for (const damaged of DAMAGED) {
      const { link, prefix, log } = await linkTo(server, t)
      const events = new RedisEvents(link)
      const stream = { session: 's', stream: 'a' }
      const append = (seq: number) => events.append(stream, { seq, json: '{}' })
      for (let seq = 1; seq <= 5; seq++) await append(seq)
      await redis.hset(`${prefix}:stream:a`, 'size', damaged)

      await append(6)

      t.equal((await events.read(stream, 0))?.events.length, 6, damaged)
      const sizes = (await redis.lrange(`${prefix}:events:a`, 0, -1)).map(text => text.length)
      t.equal(
        Number(await redis.hget(`${prefix}:stream:a`, 'size')),
        sizes.reduce((sum, size) => sum + size),
      )
      await Promise.all(Array.from({ length: MAX_EVENTS_PER_STREAM }, (_, at) => append(7 + at)))
      t.equal(await redis.llen(`${prefix}:events:a`), MAX_EVENTS_PER_STREAM)
      t.strictSame(log.lines, [])
    }
  })

  t.test('damaged numbers in Redis: events whose number leaves none for the next are left out', async t => {
    const { link, prefix } = await linkTo(server, t)
    const events = new RedisEvents(link)
    const stream = { session: 's', stream: 'a' }
    await events.append(stream, { seq: 1, json: '{}' })
    for (const seq of ['9007199254740991', '999999999999999', '1e308', '-1'])
      await operator(server, t).rpush(`${prefix}:events:a`, `[${seq},"{}"]`)

    t.match(await events.read(stream, -10), { events: [{ seq: 1 }], lastSeq: 1 })
  })

  t.test('damaged numbers in Redis: a job of the queue that does not say whose turn it is is dropped', async t => {
    const { link, prefix } = await linkTo(server, t)
    const queue = new RedisTaskQueue(link, { max: 4 })
    const turn = { id: 'task', run: 0, clientKey: 'client', hasQuota: true }
    const redis = operator(server, t)
    for (const id of ['a', 'b', 'c', 'd']) await queue.add({ ...turn, id, clientKey: `client ${id}` })
    const damaged = ['{}', 'null', '{"id":7,"key":{},"lane":[]}', '{"id":"d","key":"d.1e400","lane":"share-x"}']
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries())
      await redis.hset(`${prefix}:queue:tasks:${id}.0`, 'data', damaged[at]!)
    const ran: string[] = []

    queue.onTask(async id => ran.push(id) > 0)
    await queue.add({ ...turn, id: 'good', clientKey: 'other' })

    await eventually(() => ran.includes('good'), 'others run')
    await eventually(
      async () => (await redis.exists(...['a', 'b', 'c', 'd'].map(id => `${prefix}:queue:tasks:${id}.0`))) === 0,
      'they are gone',
    )
    t.strictSame(ran, ['good'])
  })

  t.test('what is defined as a script is used after Redis has forgotten all scripts, and all data', async t => {
    const prefix = newPrefix()
    const { link, bus } = await busTo(server, t, prefix)
    const limits = new RedisLimits(link, 'requests')
    const store = new RedisTasks(link, bus)
    const rule = { max: 2, windowMs: 60_000 }
    const redis = operator(server, t)

    for (let flushed = 0; flushed < 3; flushed++) {
      const took = await Promise.all(Array.from({ length: 5 }, async () => limits.take('a', rule)))
      t.equal(took.filter(({ isAllowed }) => isAllowed).length, 2)
      const task = aTask()
      await store.create(task)
      t.match(await store.change(task.id, counted), { rounds: 1 })
      await redis.multi().script('FLUSH').flushall().exec()
    }
    t.ok(link.isUp)
  })
})
