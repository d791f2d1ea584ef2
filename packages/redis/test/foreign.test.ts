// F11 (test/security/README.md): foreign and damaged values under our names in Redis are ignored.
import type { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { findStateProblems } from '../../../src/state/state.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { fakeLog } from '../../../test/support/fakes.ts'
import { started } from '../../../test/support/state.ts'
import { aTask, counted } from '../../state/src/suites/a-task.ts'
import { LONG, OPENING } from '../../state/src/suites/sessions.ts'
import { RedisEvents } from '../src/events.ts'
import { RedisSessions } from '../src/sessions.ts'
import { redis as openState } from '../src/state.ts'
import { RedisTasks } from '../src/tasks.ts'
import { RedisUsedTokens } from '../src/used-tokens.ts'
import { ANSWER_MS, busTo, linkTo, newPrefix, operator, withRedis } from './links.ts'

const ID = 'a'.repeat(32)
const KEY = { session: 'mine', stream: 'a' }

const DAMAGED: Readonly<Record<string, string>> = {
  nothing: '',
  'no JSON': '{"v":1,"value":{',
  bytes: '\u0000\ufffd\u0001',
  'a number': '1',
  null: 'null',
  'a list': '[1,2]',
  'no version': '{"value":{"id":"a","version":"2025-11-25"}}',
  'another version': '{"v":2,"value":{"id":"a","version":"2025-11-25","capabilities":{},"seen":{}}}',
  'a version as text': '{"v":"1","value":{"version":"2025-11-25","capabilities":{},"seen":{}}}',
  'no value': '{"v":1}',
  'an empty value': '{"v":1,"value":{}}',
  'a value of other kinds':
    '{"v":1,"value":{"id":1,"version":"2025-11-25","capabilities":3,"seen":"x","subscriptions":7}}',
  'other capabilities': '{"v":1,"value":{"version":"2025-11-25","capabilities":3,"seen":{}}}',
  'nothing seen': '{"v":1,"value":{"version":"2025-11-25","capabilities":{}}}',
  'a value that pollutes': '{"v":1,"value":{"__proto__":{"version":"2025-11-25"},"constructor":1}}',
  'a deep one': `{"v":1,"value":${'['.repeat(20_000)}`,
}

/** Puts something of each kind there, but not of the kind that is ours. */
const KINDS: Readonly<Record<string, (client: Redis, key: string) => Promise<unknown>>> = {
  text: (client, key) => client.set(key, 'not ours'),
  list: (client, key) => client.rpush(key, 'not ours'),
  set: (client, key) => client.sadd(key, 'not ours'),
  hash: (client, key) => client.hset(key, 'not', 'ours'),
  'sorted set': (client, key) => client.zadd(key, 1, 'not ours'),
  stream: (client, key) => client.xadd(key, '*', 'not', 'ours'),
}

withRedis(t, 'foreign values in Redis', (t, server) => {
  const client = (t: Test) => operator(server, t)

  t.test('F11: foreign values in Redis: a session that is damaged is not found', async t => {
    const { link, prefix } = await linkTo(server, t)
    const sessions = new RedisSessions(link, LONG)
    const redis = client(t)

    for (const [what, text] of Object.entries(DAMAGED)) {
      await redis.set(`${prefix}:session:${ID}`, text)
      t.equal(await sessions.find(ID), undefined, what)
      t.equal(await sessions.peek(ID), undefined, what)
    }
    for (const [kind, put] of Object.entries(KINDS)) {
      await redis.del(`${prefix}:session:${ID}`)
      await put(redis, `${prefix}:session:${ID}`)
      t.equal(await sessions.find(ID), undefined, kind)
      t.equal(await sessions.peek(ID), undefined, kind)
    }
    t.ok(await sessions.find((await sessions.open(OPENING)).id), 'others are')
    t.ok(link.isUp)
  })

  t.test('F11: foreign values in Redis: a task that is damaged is not found, listed or changed', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus)
    const redis = client(t)
    const [task, whole] = [aTask(), aTask()]
    await store.create(task)
    await store.create(whole)
    const isGone = async (what: string) => {
      t.equal(await store.find(task.id), undefined, what)
      t.equal(await store.change(task.id, counted), undefined, what)
    }

    for (const [what, text] of Object.entries(DAMAGED)) {
      await redis.hset(`${prefix}:task:${task.id}`, 'json', text)
      await isGone(what)
    }
    for (const [kind, put] of Object.entries(KINDS)) {
      await redis.del(`${prefix}:task:${task.id}`)
      await put(redis, `${prefix}:task:${task.id}`)
      await isGone(kind)
    }
    t.strictSame(
      (await store.list('owner', 10)).map(({ id }) => id),
      [whole.id],
    )
    t.match(await store.change(whole.id, counted), { rounds: 1 })
  })

  t.test('F11: foreign values in Redis: a task that was kept under the name of another is not found', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus)
    const task = aTask()
    await store.create(task)

    await client(t).copy(`${prefix}:task:${task.id}`, `${prefix}:task:other`)

    t.equal(await store.find('other'), undefined)
  })

  t.test('F11: foreign values in Redis: events that are damaged are left out', async t => {
    const { link, prefix } = await linkTo(server, t)
    const events = new RedisEvents(link)
    const redis = client(t)
    await events.append(KEY, { seq: 1, json: '{}' })
    for (const text of [...Object.values(DAMAGED), '[1.5,"x"]', '["1","x"]', '[2,{}]', '[1e400,"x"]'])
      await redis.rpush(`${prefix}:events:a`, text)
    await events.append(KEY, { seq: 2, json: '{}' })

    t.strictSame((await events.read(KEY, 0))?.events, [
      { seq: 1, json: '{}' },
      { seq: 2, json: '{}' },
    ])
  })

  t.test(
    'F11: foreign values in Redis: a stream of another kind is not found, and what is told there goes on',
    async t => {
      const { link, prefix } = await linkTo(server, t)
      const events = new RedisEvents(link)
      const redis = client(t)

      for (const name of ['events', 'stream'])
        for (const [kind, put] of Object.entries(KINDS)) {
          if (kind === (name === 'events' ? 'list' : 'hash')) continue
          await redis.del(`${prefix}:events:a`, `${prefix}:stream:a`)
          await put(redis, `${prefix}:${name}:a`)

          await events.begin(KEY)
          await events.append(KEY, { seq: 1, json: '{}' })
          await events.finish(KEY)

          t.equal((await events.read(KEY, 0))?.events.length ?? 0, 0, `${kind} for ${name}`)
        }
      t.ok(link.isUp)
    },
  )

  t.test('F11: foreign values in Redis: what is there by another kind is spent', async t => {
    const { link, prefix } = await linkTo(server, t)
    const redis = client(t)

    for (const [kind, put] of Object.entries(KINDS)) {
      await put(redis, `${prefix}:spent:${kind}`)
      t.equal(await new RedisUsedTokens(link).consumeOnce(kind, Date.now() + 60_000), false, kind)
    }
  })

  t.test(
    'F11: foreign values in Redis: lists of another kind refuse what needs them with 503, and nothing else',
    async t => {
      const refused = { code: 50300, status: 503, retryAfterS: Number }
      for (const [kind, put] of Object.entries(KINDS)) {
        const { link, bus, prefix } = await busTo(server, t)
        const redis = client(t)
        for (const name of ['sessions', 'tasks', 'task-holds', 'task-usage']) {
          if (kind === (name.startsWith('task-') ? 'hash' : 'sorted set')) continue
          await put(redis, `${prefix}:${name}`)
        }
        const store = new RedisTasks(link, bus)

        if (kind !== 'sorted set')
          await t.rejects(async () => new RedisSessions(link, LONG).open(OPENING), refused, kind)
        await t.rejects(async () => store.create(aTask()), refused, kind)
        t.equal(await new RedisUsedTokens(link).consumeOnce('a', Date.now() + 60_000), true)
        t.ok(link.isUp)
      }
    },
  )

  t.test(
    'F11: foreign values in Redis: a server begins, and answers, with something else under every name',
    async t => {
      const names = ['state-secret', 'versions', 'sessions', 'tasks', 'lanes', 'queue:tasks:meta']
      for (const [kind, put] of Object.entries(KINDS)) {
        const prefix = newPrefix()
        const redis = client(t)
        for (const name of [...names, 'queue:tasks:wait', 'queue:tasks:events']) await put(redis, `${prefix}:${name}`)
        const log = fakeLog()

        const made = openState({ url: server.url, prefix, answerMs: ANSWER_MS })
        const state = await started(t, made, { log: log as never })
        state.secret.follow(() => {})
        state.versions.subscribe(
          () => ({ tools: 0, prompts: 0, resources: 0 }),
          () => {},
        )
        state.versions.publishListChange('tools')
        state.taskQueue.onTask(async () => true)
        await Promise.allSettled([
          state.taskQueue.add({ id: 'a', run: 0, clientKey: 'a', hasQuota: true }),
          state.taskQueue.remove({ id: 'b', run: 0, clientKey: 'a', hasQuota: true }),
          state.sessions.count?.(),
          state.tasks.count?.(),
          state.taskQueue.count?.(),
        ])

        t.match(await state.requestLimits.take('a', { max: 1, windowMs: 60_000 }), { isAllowed: true }, kind)
        t.equal(await state.usedTokens.consumeOnce('a', Date.now() + 60_000), true, kind)
        t.strictSame(findStateProblems(state), [], kind)
      }
    },
  )

  t.test('F11: foreign values in Redis: what others say on our channels is ignored', async t => {
    const { link, bus, prefix } = await busTo(server, t)
    const store = new RedisTasks(link, bus)
    const heard: string[] = []
    store.onChange(id => heard.push(id))
    const redis = client(t)
    const task = aTask()
    await store.create(task)

    for (const text of [...Object.values(DAMAGED), '{}', '[7]', '[{}]', '[[],[]]'])
      await redis.publish(`${prefix}:bus:tasks`, text)
    await redis.publish(`${prefix}:bus:other`, '["a"]')
    await redis.publish('bus:tasks', '["b"]')
    await store.change(task.id, counted)
    await store.remove(task.id)

    await eventually(() => heard.length >= 2, 'both are heard')
    t.strictSame(new Set(heard), new Set([task.id]))
  })
})
