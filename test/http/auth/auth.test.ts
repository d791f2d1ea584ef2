// What is remembered of a token, where its key goes while it is verified.
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import auth from '../../../plugins/auth.ts'
import { GUARDS, type Guards } from '../../../plugins/guards.ts'
import { Issuers } from '../../../src/auth/issuers.ts'
import type { Keys } from '../../../src/auth/keys.ts'
import { AUDIENCE, ISSUER, SECRET, secretIssuer } from '../../support/auth/forge.ts'

const limits = fp(
  async app => {
    app.decorate(GUARDS, { countFailure: () => undefined } as unknown as Guards)
  },
  { name: 'toolrack-rate-limit' },
)

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
  await app.register(limits)
  const rules = { issuers: [ISSUER], audiences: [AUDIENCE] }
  const issuers = new Issuers({
    specs: [{ rules, isExchanged: true, hasSignIn: true }],
    create(spec, onKeyRemoved) {
      removeKey = onKeyRemoved
      return { spec, keys, introspection: undefined }
    },
  })
  await app.register(auth, { issuers, metadataUrl: undefined, hasMetadata: () => false, scopes: () => [] })
  app.setErrorHandler((_error, _request, reply) => reply.code(401).send())
  app.get('/', { onRequest: app[GUARDS].authenticate }, async request => request.caller?.subject)
  const headers = { authorization: `Bearer ${secretIssuer().token()}` }

  t.equal((await app.inject({ url: '/', headers })).body, 'alice')
  t.equal((await app.inject({ url: '/', headers })).statusCode, 401)
})
