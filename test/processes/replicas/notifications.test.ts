// Notifications of a session whose streams are at several replicas: the newest stream gets them, wherever it is. None is
// missed; one may come twice after a stream has moved.
import t from 'tap'
import type { TestReply } from '../../support/client/reply.ts'
import { pair, quiet, until, wasAlone } from '../../support/replicas/pair.ts'
import { openAt } from '../../support/replicas/session.ts'
import { callTool } from '../../support/replicas/stateless.ts'
import { NO_REDIS } from '../../support/servers/redis-server.ts'

const toldOf = (streams: readonly TestReply[]) =>
  streams.flatMap(({ messages }) => messages.map(({ method, params }) => params?.uri ?? method!.split('/')[1]))

const count = (streams: readonly TestReply[]) => toldOf(streams).length

t.test('news: streams of one session at two replicas', { skip: NO_REDIS }, async t => {
  const replicas = await pair(t)
  const { one, two, proxy } = replicas
  let tools = 0
  const addTool = (at: { url: string }) => callTool(at, 'add_tool', { name: `added${++tools}` })
  const touch = (at: { url: string }, uri = 'memo://a') => callTool(at, 'touch', { uri })

  t.test('each message is on one stream only, the newest, wherever it was caused', async t => {
    const client = await openAt(t, one)
    await client.at(one).call('resources/subscribe', { uri: 'memo://a' })
    const [older, newer] = [await client.at(one).listen(), await client.at(two).listen()]
    await quiet(replicas)

    await addTool(one)
    await until(() => count([older, newer]) >= 1, 'the first change')
    await touch(one)
    await until(() => count([older, newer]) >= 2, 'the first update')
    await touch(two)
    await until(() => count([older, newer]) >= 3, 'the second update')
    await addTool(two)
    await until(() => count([older, newer]) >= 4, 'the second change')
    await quiet(replicas)

    // A message that Redis took too long for is lost, or sent twice.
    if (wasAlone(replicas)) return void t.ok(count([older, newer]) >= 4)
    t.strictSame(toldOf([newer]), ['tools', 'memo://a', 'memo://a', 'tools'])
    t.strictSame(toldOf([older]), [])
  })

  t.test(
    'an older stream at another replica gets nothing, and the client that comes back to it misses nothing',
    async t => {
      const client = await openAt(t, one)
      await client.at(two).call('resources/subscribe', { uri: 'memo://a' })
      const [older, newer] = [await client.at(one).listen(), await client.at(two).listen()]
      await quiet(replicas)
      await addTool(one)
      await touch(one)
      await until(() => count([newer]) === 2, 'the notifications')

      newer.close()
      await quiet(replicas)
      await addTool(two)
      await touch(two)
      await quiet(replicas)
      t.strictSame(toldOf([older]), [])
      const back = await client.at(one).listen()
      await until(() => count([back]) >= 2, 'what came meanwhile')
      await quiet(replicas)

      t.strictSame(toldOf([back]).sort(), ['memo://a', 'tools'])
      t.strictSame(toldOf([older]), [])
    },
  )

  for (const way of ['after the old one is left', 'before the old one is left'] as const) {
    t.test(
      `a client that moves its stream, ${way}, gets each at most once more, and what comes later once`,
      async t => {
        const client = await openAt(t, one)
        await client.at(two).call('resources/subscribe', { uri: 'memo://a' })
        const old = await client.at(one).listen()
        await quiet(replicas)
        await addTool(one)
        await touch(two)
        await until(() => count([old]) === 2, 'the notifications')

        if (way === 'after the old one is left') {
          old.close()
          await quiet(replicas)
        }
        const moved = await client.at(two).listen()
        await quiet(replicas)
        const again = toldOf([moved])
        t.equal(new Set(again).size, again.length)
        if (way === 'after the old one is left') t.notOk(again.includes('tools'), 'what the client knows is kept')

        await addTool(one)
        await touch(one)
        await until(() => count([moved]) >= again.length + 2, 'what came later')
        await quiet(replicas)
        t.strictSame(toldOf([moved]).slice(again.length).sort(), ['memo://a', 'tools'])
        t.equal(count([old]), 2, 'the old stream gets nothing more')
        old.close()
      },
    )
  }

  t.test('of many streams that open at both replicas at once, one gets what comes then', async t => {
    const client = await openAt(t, one)
    const streams = await Promise.all([one, two, one, two].map(at => client.at(at).listen()))
    await quiet(replicas)
    const before = count(streams)

    await addTool(two)
    await until(() => count(streams) > before, 'the change')
    await quiet(replicas)

    t.equal(count(streams), before + 1)
  })

  t.test('what changed while nobody listened is told at whichever replica its client comes back', async t => {
    const client = await openAt(t, one)
    await client.at(one).call('resources/subscribe', { uri: 'memo://a' })
    await client.at(two).call('resources/subscribe', { uri: 'memo://b' })
    const first = await client.at(one).listen()
    await quiet(replicas)
    first.close()
    await quiet(replicas)
    await addTool(one)
    await touch(two, 'memo://a')
    await touch(one, 'memo://b')
    await touch(one, 'memo://b')
    await quiet(replicas)

    const second = await client.at(two).listen()
    await until(() => count([second]) >= 3, 'what was missed')
    await quiet(replicas)
    t.strictSame(toldOf([second]).sort(), ['memo://a', 'memo://b', 'tools'])
    second.close()
    await quiet(replicas)
    const third = await client.at(one).listen()
    await quiet(replicas)

    t.notOk(toldOf([third]).includes('tools'), 'what the client knows of lists is kept')
  })

  t.test('a stream that is resumed at the other replica goes on where it was left', async t => {
    const client = await openAt(t, one)
    const first = await client.at(one).listen()
    await quiet(replicas)
    await addTool(one)
    await until(() => count([first]) === 1, 'the first change')
    const id = first.events.at(-1)!.id!
    first.close()
    await quiet(replicas)
    await addTool(two)
    await quiet(replicas)

    const rest = await client.at(two).listen(id)
    await until(() => count([rest]) >= 1, 'the second change')
    await addTool(one)
    await until(() => count([rest]) >= 2, 'the third change')
    await quiet(replicas)

    t.strictSame(toldOf([rest]), ['tools', 'tools'])
    t.ok(rest.events.every(event => event.id!.startsWith(`${id.split('.')[0]}.`)))
    const ids = [...first.events, ...rest.events].filter(({ data }) => data !== '').map(event => event.id)
    t.equal(new Set(ids).size, ids.length)
  })

  t.test('a client whose requests are spread hears of each change once, over its one stream', async t => {
    const client = await openAt(t, proxy)
    const news = await client.at(proxy).listen()
    for (const uri of ['memo://a', 'memo://b']) await client.at(proxy).call('resources/subscribe', { uri })
    await quiet(replicas)
    for (let turn = 1; turn <= 4; turn++) {
      await touch(proxy, turn % 2 === 0 ? 'memo://a' : 'memo://b')
      await until(() => count([news]) >= turn, `update ${turn}`)
    }
    await quiet(replicas)

    t.strictSame(toldOf([news]), ['memo://b', 'memo://a', 'memo://b', 'memo://a'])
  })
})
