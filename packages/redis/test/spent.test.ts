import t from 'tap'
import { toSuite } from '../../../test/support/suite.ts'
import { spentSuite } from '../../state/src/suites/spent.ts'
import { RedisUsedTokens } from '../src/used-tokens.ts'
import { linkTo, withRedis } from './links.ts'

withRedis(t, 'spent on Redis', (t, server) => {
  spentSuite(toSuite(t), 'spent on Redis', async t => new RedisUsedTokens((await linkTo(server, t)).link))
})
