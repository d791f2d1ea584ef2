// The command that ends sign-ins says of each when it has ended, whatever happens to the rest.
import t from 'tap'
import { type EndedSignIn, endSignIns } from '../src/end.ts'
import type { RedisStore } from '../src/state/redis.ts'

t.test('who was ended before Redis goes away is said', async t => {
  const left = new Set(['a', 'b'])
  const store: Pick<RedisStore, 'entries' | 'get' | 'delete'> = {
    async *entries() {
      for (const id of left) yield [id, { accountId: `user of ${id}`, clientId: 'client' }]
    },
    get: async () => undefined,
    async delete(_kind, id) {
      if (id === 'b') throw new Error('Redis is away')
    },
  }
  const ended: EndedSignIn[] = []
  const whose = { user: undefined, client: 'client' }

  await t.rejects(
    endSignIns(store, whose, each => ended.push(each)),
    { message: 'Redis is away' },
  )
  t.strictSame(ended, [{ subject: 'user of a', clientId: 'client' }])
})
