// The secret that replicas share: what happens to it when Redis loses what it held, or has something else there.
import t, { type Test } from 'tap'
import { MAX_FORMER_SECRETS, Seal } from '../../../src/auth/seal.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { RedisSecret } from '../src/secret.ts'
import { linkTo, newPrefix, operator, withRedis } from './links.ts'

const PURPOSE = 'request-state'

withRedis(t, 'the shared secret', (t, server) => {
  /** A replica that seals with what is shared. */
  async function replica(t: Test, prefix: string) {
    const shared = new RedisSecret((await linkTo(server, t, prefix)).link)
    await shared.agree()
    const seal = new Seal(undefined)
    const secrets: string[] = []
    shared.follow(secret => {
      secrets.push(secret)
      seal.adopt(secret)
    })
    return { shared, seal, secrets }
  }

  type Replica = Awaited<ReturnType<typeof replica>>

  const opens = (at: Replica, sealed: string) => at.seal.open(PURPOSE, sealed) !== undefined
  const agree = (...all: Replica[]) =>
    eventually(() => {
      const sealed = all.map(({ seal }) => seal.seal(PURPOSE, 'x'))
      return (
        new Set(all.map(({ secrets }) => secrets.at(-1))).size === 1 &&
        all.every(at => sealed.every(each => opens(at, each)))
      )
    }, 'they agree')

  t.test('a Redis that was emptied is told the secret again, which stays the same', async t => {
    const prefix = newPrefix()
    const [one, two] = [await replica(t, prefix), await replica(t, prefix)]
    await agree(one, two)
    const redis = operator(server, t)
    const secret = one.secrets[0]!
    const sealed = one.seal.seal(PURPOSE, 'x')

    for (let flushed = 0; flushed < 3; flushed++) {
      await redis.flushall()
      if (flushed > 0) await Promise.all([one.shared.agree(), two.shared.agree()])
      await eventually(async () => (await redis.get(`${prefix}:state-secret`)) === secret, 'it is there again')
    }

    t.strictSame([one.secrets, two.secrets], [[secret], [secret]], 'nobody changed it')
    t.ok(opens(two, sealed))
  })

  t.test(
    'a replica that starts first after that has its own, which all take; the others open what they sealed',
    async t => {
      const prefix = newPrefix()
      const [one, two] = [await replica(t, prefix), await replica(t, prefix)]
      await agree(one, two)
      const before = one.seal.seal(PURPOSE, 'before')
      await operator(server, t)
        .multi()
        .flushall()
        .set(`${prefix}:state-secret`, 'the secret of a replica that starts just then')
        .exec()

      const late = await replica(t, prefix)
      await agree(one, two, late)

      t.ok(opens(one, before) && opens(two, before))
      for (const { secrets } of [one, two]) t.equal(secrets.length, 2, 'each changed once')
      t.equal(late.secrets.length, 1)
      const all = [one, two, late]
      for (let round = 0; round < 20; round++) await Promise.all(all.map(({ shared }) => shared.agree()))
      for (const { secrets } of [one, two]) t.equal(secrets.length, 2, 'and stays with it')
    },
  )

  t.test('two that have different ones agree, and do not change them to and fro', async t => {
    const prefix = newPrefix()
    const redis = operator(server, t)
    const one = await replica(t, prefix)
    await redis.set(`${prefix}:state-secret`, 'another secret, which is long enough for one')
    const two = await replica(t, prefix)
    await redis.del(`${prefix}:state-secret`)

    await Promise.all([one, two, one, two].map(({ shared }) => shared.agree()))
    await agree(one, two)
    for (let round = 0; round < 50; round++) await [one, two][round % 2]!.shared.agree()

    t.ok(one.secrets.length <= 3 && two.secrets.length <= 2, `${one.secrets.length} ${two.secrets.length}`)
    t.equal(one.secrets.at(-1), two.secrets.at(-1))
  })

  t.test('former secrets of a replica are bounded', async t => {
    const prefix = newPrefix()
    const redis = operator(server, t)
    const one = await replica(t, prefix)
    const sealed = [one.seal.seal(PURPOSE, 'x')]
    for (let change = 0; change < MAX_FORMER_SECRETS + 2; change++) {
      await redis.set(`${prefix}:state-secret`, `secret ${change} `.padEnd(32, 'x'))
      await one.shared.agree()
      sealed.push(one.seal.seal(PURPOSE, 'x'))
    }

    t.strictSame(
      sealed.map(each => opens(one, each)),
      [false, false, ...new Array(MAX_FORMER_SECRETS + 1).fill(true)],
    )
  })

  t.test('F11: a secret that is damaged, or something else, is as if it were not there', async t => {
    const redis = operator(server, t)
    for (const put of [
      (key: string) => redis.set(key, 'short'),
      (key: string) => redis.set(key, 'x'.repeat(5000)),
      (key: string) => redis.rpush(key, 'not ours'),
      (key: string) => redis.hset(key, 'not', 'ours'),
    ]) {
      const prefix = newPrefix()
      await put(`${prefix}:state-secret`)
      const [one, two] = [await replica(t, prefix), await replica(t, prefix)]

      await agree(one, two)
      await redis.del(`${prefix}:state-secret`)
      await put(`${prefix}:state-secret`)
      for (const { shared } of [one, two]) await shared.agree()

      await agree(one, two)
      t.equal(one.secrets.length, 1, 'it has not changed')
    }
  })
})

t.test('a seal opens with the secret that the operator named as the previous one, however many came since', async t => {
  const previous = 'the previous secret, and long enough'
  const seal = new Seal(undefined, previous)
  for (let change = 0; change < 20; change++) seal.adopt(`secret ${change}`)

  t.equal(seal.open('cursor', new Seal(previous).seal('cursor', 7)), 7)
  t.equal(seal.open('cursor', new Seal('secret 19').seal('cursor', 7)), 7)
  t.equal(seal.open('cursor', new Seal('secret 16').seal('cursor', 7)), 7)
  t.equal(seal.open('cursor', new Seal('secret 15').seal('cursor', 7)), undefined)
})
