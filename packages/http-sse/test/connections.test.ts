// Clients of HTTP+SSE that may come back: how many, and for how long.
import { mock } from 'node:test'
import t from 'tap'
import type { Session } from '../../../src/state/sessions.ts'
import { FakeWire } from '../../../test/support/legacy/fake-wire.ts'
import { HttpSseClients, MAX_DISCONNECTED, RECONNECT_WAIT_MS } from '../src/connections.ts'

function rack() {
  const stopped: unknown[] = []
  const clients = new HttpSseClients({
    addStream: () => () => {},
    stop: ({ id }) => void stopped.push(id),
  })
  /** One that has begun a session, if it is given an id of one, and has lost its connection. */
  function away(id?: string) {
    const session = id === undefined ? undefined : ({ id } as Session)
    const client = clients.open({ owner: undefined, session })
    const connection = new FakeWire()
    client.stream.attach(connection)
    connection.isClosed = true
    clients.onDisconnect(client, connection)
    return client
  }
  return { stopped, clients, away }
}

t.test(`past ${MAX_DISCONNECTED} of them, the one that left first is given up`, t => {
  const { stopped, clients, away } = rack()
  t.teardown(() => clients.close())

  const first = away('first')
  for (let count = 1; count < MAX_DISCONNECTED; count++) away(`${count}`)
  t.strictSame(stopped, [])
  away('last')

  t.strictSame(stopped, ['first'])
  t.equal(clients.find(first.id, undefined), undefined)
  t.end()
})

t.test('one that comes back in time stays; one that does not is given up; one without a session at once', t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { stopped, clients, away } = rack()
  const [one, two, three] = [away('one'), away('two'), away()]
  t.equal(clients.find(three.id, undefined), undefined)

  mock.timers.tick(RECONNECT_WAIT_MS - 1)
  clients.onReconnect(one)
  t.equal(clients.find(two.id, undefined), two)
  mock.timers.tick(1)

  t.strictSame(stopped, ['two'])
  t.equal(clients.find(one.id, undefined), one)
  t.end()
})

t.test('a client that has changed to another connection stays when the first one ends', t => {
  const { stopped, clients } = rack()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const client = clients.open({ owner: undefined, session: { id: 'one' } as Session })
  const [before, after] = [new FakeWire(), new FakeWire()]
  client.stream.attach(before)
  client.stream.attach(after)

  clients.onDisconnect(client, before)
  mock.timers.tick(RECONNECT_WAIT_MS)

  t.strictSame(stopped, [])
  t.end()
})
