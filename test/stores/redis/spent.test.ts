import t from 'tap'
import { createRedisUsedTokens } from '../../../src/state/redis/state.ts'
import { spentContract } from '../contract/spent.ts'
import { linkTo, withRedis } from './links.ts'

withRedis(t, 'spent on Redis', (t, server) => {
  spentContract(t, 'spent on Redis', async t => createRedisUsedTokens((await linkTo(server, t)).link))
})
