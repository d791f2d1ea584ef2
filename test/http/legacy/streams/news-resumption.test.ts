import t from 'tap'
import { connected } from '../../../support/client/app-client.ts'
import { tool } from '../../../support/steered-tools.ts'

t.test('a stream of news that is resumed goes on: what its lost connection was sent comes again', async t => {
  const client = await connected(t)
  const news = await client.listen()
  const { id } = await news.event(0)
  client.app.toolrack.add(tool('more', () => 'x'))
  await news.next(0)

  const again = await client.listen(id)
  await news.ended
  await again.next(0)
  client.app.toolrack.remove('more')
  await again.next(1)

  const ids = again.events.map(event => event.id)
  t.equal(new Set(ids).size, 3)
  t.equal(news.messages.length, 1)
})

t.test('a stream of news that two connections resume in turn never gives an id twice', async t => {
  const client = await connected(t)
  const { toolrack } = client.app
  const seen = new Map<string, string>()
  let stream = await client.listen()
  await stream.event(0)

  for (let turn = 0; turn < 6; turn++) {
    const next = await client.listen(stream.events.at(-1)!.id)
    if (turn % 2 === 0) stream.close()
    toolrack.add(tool(`tool_${turn}`, () => 'x'))
    await next.next(0)
    for (const { id, data } of [...stream.events, ...next.events].filter(({ data }) => data !== '')) {
      const turnData = `${data} ${id}`
      t.ok(seen.get(id!) === undefined || seen.get(id!) === turnData)
      seen.set(id!, turnData)
    }
    stream = next
  }

  t.equal(seen.size, 6)
})
