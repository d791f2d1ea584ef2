// Clients of HTTP+SSE that may come back: how many, and for how long.
import { mock } from 'node:test'
import t from 'tap'
import type { Session } from '../../../src/state/sessions.ts'
import { FakeWire } from '../../../test/support/legacy/fake-wire.ts'
import { HttpSseClients, MAX_DISCONNECTED, RECONNECT_WAIT_MS } from '../src/connections.ts'

function rack() {
  const stopped: unknown[] = []
  const connections = new HttpSseClients({
    addStream: () => () => {},
    stop: ({ id }) => void stopped.push(id),
  })
  /** One that has begun a session, if it is given an id of one, and has lost its connection. */
  function away(id?: string) {
    const session = id === undefined ? undefined : ({ id } as Session)
    const connection = connections.open({ owner: undefined, session })
    const wire = new FakeWire()
    connection.stream.attach(wire)
    wire.isClosed = true
    connections.onDisconnect(connection, wire)
    return connection
  }
  return { stopped, connections, away }
}

t.test(`past ${MAX_DISCONNECTED} of them, the one that left first is given up`, t => {
  const { stopped, connections, away } = rack()
  t.teardown(() => connections.close())

  const first = away('first')
  for (let count = 1; count < MAX_DISCONNECTED; count++) away(`${count}`)
  t.strictSame(stopped, [])
  away('last')

  t.strictSame(stopped, ['first'])
  t.equal(connections.find(first.id, undefined), undefined)
  t.end()
})

t.test('one that comes back in time stays; one that does not is given up; one without a session at once', t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { stopped, connections, away } = rack()
  const [one, two, three] = [away('one'), away('two'), away()]
  t.equal(connections.find(three.id, undefined), undefined)

  mock.timers.tick(RECONNECT_WAIT_MS - 1)
  connections.onReconnect(one)
  t.equal(connections.find(two.id, undefined), two)
  mock.timers.tick(1)

  t.strictSame(stopped, ['two'])
  t.equal(connections.find(one.id, undefined), one)
  t.end()
})

t.test('the end of a connection that its client has left for another one is no leaving', t => {
  const { stopped, connections } = rack()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const connection = connections.open({ owner: undefined, session: { id: 'one' } as Session })
  const [before, after] = [new FakeWire(), new FakeWire()]
  connection.stream.attach(before)
  connection.stream.attach(after)

  connections.onDisconnect(connection, before)
  mock.timers.tick(RECONNECT_WAIT_MS)

  t.strictSame(stopped, [])
  t.end()
})
