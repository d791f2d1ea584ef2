// Whether another replica is alive, by its heartbeat.
import t from 'tap'
import { eventually } from '../../../test/support/eventually.ts'
import { redisServer } from '../../../test/support/servers/redis-server.ts'
import { linkTo, newPrefix, withRedis } from './links.ts'

const NOBODY = 'nobody0123456789'

withRedis(t, 'heartbeats', (t, server) => {
  t.test('heartbeats: a replica is there while it has a heartbeat', async t => {
    const prefix = newPrefix()
    const { link: here } = await linkTo(server, t, prefix)
    const { link: other } = await linkTo(server, t, prefix)

    t.equal(await here.isReplicaAlive(other.replicaId), true)
    t.equal(await here.isReplicaAlive(NOBODY), false)
  })

  t.test('heartbeats: right after Redis has come back nobody is gone, since all have yet to come back', async t => {
    const own = await redisServer(t)
    const { link } = await linkTo(own, t)
    t.equal(await link.isReplicaAlive(NOBODY), false)

    const afterReturn = async () => {
      await own.kill()
      await eventually(() => !link.isUp, 'it is noticed')
      await own.start()
      await eventually(() => link.isUp, 'it is back')
      return link.isReplicaAlive(NOBODY)
    }
    let isThere = await afterReturn()
    // It is so for 5 s, in which the machine may stand still.
    for (let tries = 1; tries < 4 && !isThere; tries++) isThere = await afterReturn()

    t.equal(isThere, true)
  })
})
