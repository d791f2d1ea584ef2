import t from 'tap'
import { spentSuite } from '../../../packages/state/suites/spent.ts'
import { RedisUsedTokens } from '../../../src/state/redis/used-tokens.ts'
import { toSuite } from '../../support/suite.ts'
import { linkTo, withRedis } from './links.ts'

withRedis(t, 'spent on Redis', (t, server) => {
  spentSuite(toSuite(t), 'spent on Redis', async t => new RedisUsedTokens((await linkTo(server, t)).link))
})
