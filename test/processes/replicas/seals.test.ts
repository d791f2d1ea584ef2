// What one replica has sealed, the other opens: F8 of test/security/README.md.
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import type { Place } from '../../support/client/transport.ts'
import { freePort } from '../../support/free-port.ts'
import { accept } from '../../support/input/rounds.ts'
import { LAB, pair, until } from '../../support/replicas/pair.ts'
import { Replica } from '../../support/replicas/replica.ts'
import { ask, callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const SECRETS = { old: 'the secret of yesterday, and long enough', new: 'the secret of today, which is long enough' }
const answers = { inputResponses: { name: accept({ name: 'Ada' }) } }

/** A state and a cursor that a replica hands out. */
async function mint(at: Place) {
  const { requestState, inputRequests } = (await callTool(at, 'greet')).result
  const { nextCursor } = (await ask(at, 'tools/list')).result
  return { requestState, nextCursor, asked: Object.keys(inputRequests) }
}

type Minted = Awaited<ReturnType<typeof mint>>

async function valid(t: Test, at: Place, { requestState, nextCursor, asked }: Minted) {
  t.strictSame(asked, ['name'])
  t.equal((await callTool(at, 'greet', {}, { requestState, ...answers })).result?.content[0].text, 'Hello Ada')
  t.equal((await ask(at, 'tools/list', { cursor: nextCursor })).result?.tools.length, 3)
}

async function invalid(t: Test, at: Place, { requestState, nextCursor }: Minted) {
  t.equal((await callTool(at, 'greet', {}, { requestState, ...answers })).error?.code, -32602)
  t.equal((await ask(at, 'tools/list', { cursor: nextCursor })).error?.code, -32602)
}

const PAGE_SIZE = '3'

/** Where it is shared by way of Redis, it comes behind the start of a replica that Redis did not answer in time. */
const sharing = (minting: Place, at: Place) =>
  until(async () => {
    const { nextCursor } = (await ask(minting, 'tools/list')).result
    return (await ask(at, 'tools/list', { cursor: nextCursor })).result !== undefined
  }, 'the secret is shared')

for (const [what, environment] of [
  ['with STATE_SECRET', { PAGE_SIZE, STATE_SECRET: SECRETS.new }],
  ['without one', { PAGE_SIZE }],
] as const) {
  t.test(`F8: requestState and cursor of one replica are valid on the other, ${what}`, { skip: NO_REDIS }, async t => {
    const { one, two, proxy } = await pair(t, environment)
    await Promise.all([sharing(one, two), sharing(two, one)])

    await valid(t, two, await mint(one))
    await valid(t, one, await mint(two))
    await valid(t, proxy, await mint(proxy))
  })
}

t.test(
  'F8: without a secret, a replica that is started later shares that of the others',
  { skip: NO_REDIS },
  async t => {
    const { one, two, redisUrl } = await pair(t, { PAGE_SIZE })
    await Promise.all([sharing(one, two), sharing(two, one)])
    const minted = await mint(one)
    await Promise.all([one.stop(), two.stop()])
    const late = new Replica(await freePort(), { redisUrl, program: LAB, environment: { PAGE_SIZE } })
    t.teardown(() => late.kill())
    await late.start()
    const { nextCursor: cursor } = minted
    await until(async () => (await ask(late, 'tools/list', { cursor })).result !== undefined, 'the secret is shared')

    await valid(t, late, minted)
  },
)

t.test('F8: what was sealed with the previous secret still opens while it is rotated', { skip: NO_REDIS }, async t => {
  const { one, two, redisUrl } = await pair(t, { PAGE_SIZE, STATE_SECRET: SECRETS.old })
  const minted = await mint(one)
  const spare = await mint(one)
  await one.stop()
  const start = async (environment: Record<string, string>) => {
    const replica = new Replica(await freePort(), {
      redisUrl,
      program: LAB,
      environment: { PAGE_SIZE, ...environment },
    })
    t.teardown(() => replica.kill())
    await replica.start()
    return replica
  }
  const rotated = await start({ STATE_SECRET: SECRETS.new, STATE_SECRET_PREVIOUS: SECRETS.old })
  const forgetful = await start({ STATE_SECRET: SECRETS.new })

  await valid(t, rotated, minted)
  await valid(t, forgetful, await mint(rotated))
  await invalid(t, forgetful, spare)
  await invalid(t, two, await mint(rotated))
})

t.test(
  'F8: when Redis was emptied, replicas store their secret again, and one that starts then opens what was sealed before',
  { skip: NO_REDIS },
  async t => {
    const { one, two, redisUrl } = await pair(t, { PAGE_SIZE })
    await Promise.all([sharing(one, two), sharing(two, one)])
    const [before, spare] = [await mint(one), await mint(one)]
    const client = new Redis(redisUrl)
    t.teardown(() => client.disconnect())

    await client.flushall()
    // Each looks every 2 s. One that starts before they have looked stores a secret of its own.
    await until(async () => (await client.keys('*state-secret')).length > 0, 'the secret is stored again')
    const late = new Replica(await freePort(), { redisUrl, program: LAB, environment: { PAGE_SIZE } })
    t.teardown(() => late.kill())
    await late.start()
    const all = [one, two, late]
    await Promise.all(all.flatMap(from => all.map(at => sharing(from, at))))
    const { nextCursor: cursor } = before
    await until(async () => (await ask(late, 'tools/list', { cursor })).result !== undefined, 'it knows the former one')

    for (const [from, at] of [
      [one, late],
      [late, two],
      [two, one],
    ] as const)
      await valid(t, at, await mint(from))
    await valid(t, late, before)
    await valid(t, two, spare)
  },
)
