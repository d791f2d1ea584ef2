// What is remembered, for how long, and how much of it.
import t from 'tap'
import { hashId, StateAdapter, UNUSED_CLIENT_TTL_S } from '../src/state/adapter.ts'
import { MemoryStore } from '../src/state/memory.ts'

t.test('what has ended is gone, and a client that nobody used goes after an hour', async t => {
  let nowMs = 1_000_000
  const store = new MemoryStore({ now: () => nowMs })
  const clients = new StateAdapter(store, 'Client')
  await clients.upsert('unused', { client_id: 'unused' })
  await clients.upsert('used', { client_id: 'used' }, 90 * 86_400)

  nowMs += UNUSED_CLIENT_TTL_S * 1000 - 1
  t.match(await clients.find('unused'), { client_id: 'unused' })
  nowMs += 1
  t.equal(await clients.find('unused'), undefined)
  t.match(await clients.find('used'), { client_id: 'used' })
})

t.test('of one kind there are so many at most; the oldest goes, and of other kinds none', async t => {
  const store = new MemoryStore({ maxEntries: 3 })
  await store.set('other', 'a', {}, 60)
  for (const id of ['a', 'b', 'c']) await store.set('kind', id, { id }, 60)
  await store.set('kind', 'a', { id: 'a' }, 60)
  await store.set('kind', 'd', { id: 'd' }, 60)

  const left = await Promise.all(['a', 'b', 'c', 'd'].map(id => store.get('kind', id)))
  t.strictSame(
    left.map(found => found?.['id']),
    ['a', undefined, 'c', 'd'],
  )
  t.ok(await store.get('other', 'a'))
})

t.test('what is taken is taken once, and added once', async t => {
  const store = new MemoryStore()
  await store.set('kind', 'a', { is: 'there' }, 60)

  const taken = await Promise.all([store.take('kind', 'a'), store.take('kind', 'a')])
  t.strictSame(taken, [{ is: 'there' }, undefined])
  t.notOk(await store.replace('kind', 'none', {}, 60))
  t.equal(await store.get('kind', 'none'), undefined)
  t.strictSame(await Promise.all([store.add('kind', 'b', {}, 60), store.add('kind', 'b', {}, 60)]), [true, false])
})

t.test('what is used twice at once is used once, and its grant is gone', async t => {
  const store = new MemoryStore()
  const tokens = new StateAdapter(store, 'RefreshToken')
  const exp = Math.floor(Date.now() / 1000) + 60
  await new StateAdapter(store, 'Grant').upsert('grant', { accountId: 'alice' }, 60)
  await tokens.upsert('token', { grantId: 'grant', exp, jti: 'token' }, 60)

  const uses = await Promise.allSettled([tokens.consume('token'), tokens.consume('token')])

  t.strictSame(
    uses.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  t.equal(await tokens.find('token'), undefined)
  t.equal(await store.get('Grant', hashId('grant')), undefined)
})

t.test('of what was used, its sign-in alone is kept, and its next use ends that', async t => {
  const store = new MemoryStore()
  const reused: string[] = []
  const events = { beforeUse: async () => {}, reserve: async () => {}, onReused: (kind: string) => reused.push(kind) }
  const tokens = new StateAdapter(store, 'RefreshToken', events)
  const exp = Math.floor(Date.now() / 1000) + 60
  await new StateAdapter(store, 'Grant').upsert('grant', { accountId: 'alice' }, 60)
  await tokens.upsert('token', { grantId: 'grant', exp, scope: 'mcp' }, 60)
  await tokens.consume('token')

  t.strictSame(await store.get('Consumed', hashId('token')), { grantId: 'grant' })
  t.equal(await store.get('RefreshToken', hashId('token')), undefined)
  t.ok(await store.get('Grant', hashId('grant')))
  t.equal(await tokens.find('token'), undefined)
  t.equal(await store.get('Grant', hashId('grant')), undefined)
  t.strictSame(reused, ['RefreshToken'])
  t.equal(await tokens.find('another'), undefined, 'and one that never was ends nothing')
  t.strictSame(reused, ['RefreshToken'])
})

t.test('ids of codes and tokens are not kept, only their hashes', async t => {
  const store = new MemoryStore()
  await new StateAdapter(store, 'AuthorizationCode').upsert('secret', { jti: 'secret', grantId: 'grant' }, 60)

  t.equal(await store.get('AuthorizationCode', 'secret'), undefined)
  t.strictSame(await store.get('AuthorizationCode', hashId('secret')), { grantId: 'grant' })
})
