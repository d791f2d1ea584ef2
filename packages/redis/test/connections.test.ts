import t from 'tap'
import { eventually } from '../../../test/support/eventually.ts'
import { Connections } from '../src/bullmq.ts'
import { linkTo, withRedis } from './links.ts'

withRedis(t, 'connections', (t, server) => {
  t.test('connections: what is closed is not opened again, nor what a library made of it', async t => {
    const { link } = await linkTo(server, t)
    const connections = new Connections(link)
    const given = connections.open({ enableOfflineQueue: true })
    const made = given.duplicate({ connectionName: 'of a library' })
    const madeOfIt = made.duplicate()
    t.equal(await madeOfIt.ping(), 'PONG')

    connections.close()

    const all = [given, made, madeOfIt, given.duplicate(), connections.open({})]
    await eventually(() => all.every(({ status }) => status === 'end'), 'all are closed')
    for (const connection of all) {
      await t.rejects(connection.connect())
      t.equal(connection.status, 'end')
      t.ok(connection.listenerCount('error') > 0, 'whose errors are heard')
    }
  })
})
