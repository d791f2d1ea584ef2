// The guard: which way of access a credential goes to, and what is remembered of a token.
import Fastify, { type FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import { Issuers } from '../../../packages/tokens/src/issuers.ts'
import type { Keys } from '../../../packages/tokens/src/keys.ts'
import { TokenAccess } from '../../../packages/tokens/src/token-access.ts'
import auth from '../../../plugins/auth.ts'
import { GUARDS, type Guards } from '../../../plugins/guards.ts'
import type { AccessWay } from '../../../src/auth/access-way.ts'
import { TokenError } from '../../../src/auth/token.ts'
import { readOptions } from '../../../src/config/read-options.ts'
import { McpError } from '../../../src/protocol/errors.ts'
import type { Caller } from '../../../src/request/exchange.ts'
import { AUDIENCE, ISSUER, SECRET, secretIssuer } from '../../support/auth/forge.ts'
import { fakeLog } from '../../support/fakes.ts'
import { assembled } from '../../support/runtime.ts'

const limiter = (onFailure: (isWrong: boolean) => void) =>
  fp(
    async app => {
      const countFailure = (_request: unknown, isWrong: boolean) => void onFailure(isWrong)
      app.decorate(GUARDS, { countFailure } as unknown as Guards)
    },
    { name: 'toolrack-rate-limit' },
  )

const NO_METADATA = { metadataUrl: undefined, hasMetadata: () => false, scopes: () => [] }

t.test('B26: a key that is taken away while a token of it is verified leaves nothing remembered', async t => {
  let looks = 0
  let removeKey = () => {}
  const keys: Keys = {
    algorithms: ['HS256'],
    isReady: true,
    problem: undefined,
    find() {
      if (looks === 0) removeKey()
      return looks++ === 0 ? { algorithms: ['HS256'], key: SECRET, cost: 1 } : undefined
    },
    start: async () => {},
    close: () => {},
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(limiter(() => {}))
  const rules = { issuers: [ISSUER], audiences: [AUDIENCE] }
  const issuers = new Issuers({
    specs: [{ rules, isExchanged: true, signInUrls: [] }],
    create(spec, onKeyRemoved) {
      removeKey = onKeyRemoved
      return { spec, keys, introspection: undefined }
    },
  })
  await app.register(auth, { ...NO_METADATA, ways: [new TokenAccess({ issuers })] })
  app.setErrorHandler((_error, _request, reply) => reply.code(401).send())
  app.get('/', { onRequest: app[GUARDS].authenticate }, async request => request.caller?.subject)
  const headers = { authorization: `Bearer ${secretIssuer().token()}` }

  t.equal((await app.inject({ url: '/', headers })).body, 'alice')
  t.equal((await app.inject({ url: '/', headers })).statusCode, 401)
})

t.test('a credential goes to the way that owns it; what that cannot know now is not called wrong', async t => {
  const failures: boolean[] = []
  const asked: string[] = []
  const way = (prefix: string, verify: () => Caller): AccessWay => ({
    credential: 'badge',
    description: 'badges',
    problems: [],
    owns: credential => credential.startsWith(prefix),
    verify(credential) {
      asked.push(credential)
      return verify()
    },
    hasEnded: () => false,
    reload: () => {},
    start: () => {},
    close: () => {},
  })
  const ways = [
    way('good_', () => ({ issuer: 'badges', subject: 'bob', scopes: [] })),
    way('away_', () => {
      throw new McpError('UNVERIFIABLE', 'nobody is there; retry')
    }),
    way('bad_', () => {
      throw new TokenError('unknown badge')
    }),
  ]
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(limiter(isWrong => failures.push(isWrong)))
  await app.register(auth, { ...NO_METADATA, ways })
  app.setErrorHandler((error: McpError, _request, reply) => reply.code(error.status).send())
  app.get('/', { onRequest: app[GUARDS].authenticate }, async request => request.caller?.subject)
  const send = async (token: string) =>
    (await app.inject({ url: '/', headers: { authorization: `Bearer ${token}` } })).statusCode

  t.equal(await send('good_1'), 200)
  t.equal(await send('away_1'), 503)
  t.strictSame(failures, [])
  t.equal(await send('bad_1'), 401)
  t.equal(await send('trk_1'), 401)
  t.equal(await send('other_1'), 401)
  t.strictSame(failures, [true, true, true])
  t.strictSame(asked, ['good_1', 'away_1', 'bad_1'])
})

t.test('a setting of access control that nothing was composed for stops the start', async t => {
  const log = fakeLog() as unknown as FastifyBaseLogger
  t.throws(() => assembled('open', log, readOptions({ apiKeysFile: 'keys.json' })), { message: /access control/ })
})
