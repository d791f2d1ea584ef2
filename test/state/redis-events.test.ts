import t from 'tap'
import { redisEvents } from '../../src/state/redis/events.ts'
import { eventsContract } from './contract/events.ts'
import { linkTo, withRedis } from './redis-links.ts'

withRedis(t, 'events on Redis', (t, server) => {
  eventsContract(t, 'events on Redis', async t => {
    const { link, log } = await linkTo(server, t)
    return redisEvents(link, log)
  })
})
