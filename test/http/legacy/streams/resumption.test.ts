import t from 'tap'
import { connected, open } from '../../../support/client/app-client.ts'
import { NEWEST } from '../../../support/client/client.ts'
import { until } from '../../../support/eventually.ts'
import { stuckTool, tool } from '../../../support/steered-tools.ts'
import { turns } from '../../../support/turns.ts'

const asked = { _meta: { progressToken: 'p' } }

/** A tool that says as many steps as it is told, when it is told. */
function walker() {
  const started = Promise.withResolvers<void>()
  let say: (count: number) => void = () => {}
  let finish: (text: string) => void = () => {}
  let step = 0
  const walk = tool('walk', ({ log }) => {
    say = count => {
      for (let turn = 0; turn < count; turn++) log.info(++step)
    }
    started.resolve()
    return new Promise(resolve => (finish = resolve))
  })
  return { walk, started: started.promise, say: (count: number) => say(count), finish: (text: string) => finish(text) }
}

const stepsOf = (messages: { params?: { data: number } }[]) => messages.flatMap(({ params }) => params?.data ?? [])

async function begun(t: Parameters<typeof connected>[0], revision = NEWEST) {
  const { walk, started, say, finish } = walker()
  const client = await connected(t, { tools: [walk] }, { revision })
  await client.call('logging/setLevel', { level: 'debug' })
  const posted = client.postTool('walk')
  await started
  say(3)
  const first = await posted
  await first.next(2)
  return { client, first, say, finish }
}

for (const revision of [NEWEST, '2025-06-18', '2025-03-26']) {
  t.test(`${revision}: a client that comes back gets what it missed, then what follows`, async t => {
    const { client, first, say, finish } = await begun(t, revision)
    first.close()
    await first.ended
    say(2)

    const second = await client.listen(first.events.at(-1)!.id)
    await second.next(1)
    say(1)
    finish('done')

    t.equal((await second.last()).result.content[0].text, 'done')
    t.strictSame(stepsOf(second.messages), [4, 5, 6])
  })
}

t.test('what was already seen behind the given event is sent again, with the ids that it had', async t => {
  const { client, first, finish } = await begun(t)
  const ids = first.events.map(({ id }) => id)
  first.close()

  const second = await client.listen(ids[1])
  await second.next(1)
  finish('done')
  await second.ended

  t.strictSame(stepsOf(second.messages), [2, 3])
  t.strictSame(
    second.events.slice(0, 3).map(({ id }) => id),
    ids.slice(1),
  )
})

t.test('a client that comes back while its old connection is open takes the stream over', async t => {
  const { client, first, say, finish } = await begun(t)

  const second = await client.listen(first.events.at(-1)!.id)
  await first.ended
  say(1)
  finish('done')
  await second.ended

  t.strictSame(stepsOf(first.messages), [1, 2, 3])
  t.strictSame(stepsOf(second.messages), [4])
})

t.test('of two that come back to one stream, one has it, and no message comes twice', async t => {
  const { client, first, say, finish } = await begun(t)
  first.close()
  await first.ended

  const both = await Promise.all([1, 2].map(() => client.listen(first.events.at(-1)!.id)))
  await Promise.race(both.map(({ ended }) => ended))
  say(2)
  finish('done')
  await Promise.all(both.map(({ ended }) => ended))

  t.strictSame(
    both.flatMap(({ messages }) => stepsOf(messages)),
    [4, 5],
  )
  t.equal(both.filter(({ messages }) => messages.some(({ result }) => result !== undefined)).length, 1)
})

t.test('a stream that has ended is replayed from where it was left, and ends again', async t => {
  const { client, first, say, finish } = await begun(t)
  first.close()
  await first.ended
  say(1)
  finish('done')
  await turns()

  for (let visit = 0; visit < 2; visit++) {
    const again = await client.listen(first.events.at(-1)!.id)
    t.equal((await again.last()).result.content[0].text, 'done')
    t.strictSame(stepsOf(again.messages), [4])
  }
})

t.test('a client that has all of an ended stream is answered 405, or it would come back for ever', async t => {
  const { client, first, finish } = await begun(t)
  finish('done')
  await first.ended

  const again = await client.listen(first.events.at(-1)!.id)

  t.equal(again.status, 405)
})

t.test('the last 100 events of a stream are kept', async t => {
  const { client, first, say, finish } = await begun(t)
  first.close()
  await first.ended
  say(150)
  finish('done')
  await turns()

  const again = await client.listen(first.events.at(-1)!.id)
  await again.ended

  t.equal(again.messages.length, 100)
  t.strictSame(stepsOf(again.messages)[0], 55)
  t.ok('result' in again.messages.at(-1)!)
})

t.test("another session's event id replays nothing", async t => {
  const { client, first, say, finish } = await begun(t)
  const stranger = await open(t, client.app)
  first.close()
  await first.ended
  say(2)

  const stolen = await stranger.listen(first.events.at(-1)!.id)
  await stolen.event(0)
  finish('secret')
  await new Promise(resolve => setTimeout(resolve, 50))
  const own = await client.listen(first.events.at(-1)!.id)
  await own.ended

  t.equal(stolen.status, 200)
  t.strictSame(stolen.messages, [])
  t.not(stolen.events[0]!.id!.split('.')[0], first.events[0]!.id!.split('.')[0])
  t.strictSame(stepsOf(own.messages), [4, 5])
})

t.test('an event id of one stream replays nothing of another in the same session', async t => {
  const { client, first, say, finish } = await begun(t)
  const news = await client.listen()
  const { id } = await news.event(0)
  news.close()
  await news.ended

  say(2)
  const again = await client.listen(id)
  await again.event(0)
  finish('done')
  await first.ended

  t.strictSame(again.messages, [])
})

for (const odd of [
  '',
  '7',
  'x.y',
  '../../etc/passwd',
  `${'a'.repeat(100)}.1`,
  'a.-1',
  'a.1e9',
  'a.99999999999999999999',
]) {
  t.test(`a Last-Event-ID that is none of ours, "${odd.slice(0, 24)}", opens a stream of its own`, async t => {
    const client = await connected(t)

    const stream = await client.listen(odd)
    client.app.toolrack.add(tool('more', () => 'x'))

    t.match(await stream.next(0), { method: 'notifications/tools/list_changed' })
  })
}

t.test('an event id from the future of a stream gets what follows', async t => {
  const { client, first, say, finish } = await begun(t)
  const [name] = first.events[0]!.id!.split('.')

  const again = await client.listen(`${name}.999`)
  await first.ended
  say(1)
  finish('done')
  await again.ended

  t.strictSame(stepsOf(again.messages), [4])
})

t.test('a call that was cancelled while its client was away has ended when it comes back', async t => {
  const { stuck } = stuckTool()
  const client = await connected(t, { tools: [stuck] })
  const request = client.request('tools/call', { name: 'stuck', ...asked })
  const first = await client.post(request)
  await first.next(0)
  first.close()
  await first.ended
  await client.notify('notifications/cancelled', { requestId: request.id })

  const again = await client.listen(first.events.at(-1)!.id)

  t.equal(again.status, 405)
})

t.test('a reader that comes back after it fell behind hears the log again', async t => {
  let write: (size: number) => void = () => {}
  let finish: (text: string) => void = () => {}
  const client = await connected(t, {
    tools: [
      tool('flood', ({ log }) => {
        write = size => log.info('x'.repeat(size))
        write(1)
        return new Promise(resolve => (finish = resolve))
      }),
    ],
  })
  await client.call('logging/setLevel', { level: 'debug' })
  const first = await client.postTool('flood')
  await first.next(0)
  const { id } = first.events[0]!
  first.socket!.pause()
  for (let entry = 0; entry < 400; entry++) {
    write(30_000)
    await new Promise(setImmediate)
  }
  first.close()
  await first.ended

  const again = await client.listen(id)
  await again.event(0)
  // When it has caught up is not known here.
  const hasHeard = () => again.messages.some(({ params }) => params?.data === 'xxxxxxx')
  await until(() => {
    if (!hasHeard()) write(7)
    return hasHeard()
  }, 'an entry behind what was missed')
  finish('done')

  t.equal((await again.last()).result.content[0].text, 'done')
})
