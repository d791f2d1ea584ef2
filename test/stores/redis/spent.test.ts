import t from 'tap'
import { RedisUsedTokens } from '../../../src/state/redis/used-tokens.ts'
import { spentContract } from '../contract/spent.ts'
import { linkTo, withRedis } from './links.ts'

withRedis(t, 'spent on Redis', (t, server) => {
  spentContract(t, 'spent on Redis', async t => new RedisUsedTokens((await linkTo(server, t)).link))
})
