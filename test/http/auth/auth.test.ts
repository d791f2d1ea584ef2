// What is remembered of a token, where its key goes while it is verified.
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import auth from '../../../plugins/auth.ts'
import { GUARDS, type Guards } from '../../../plugins/guards.ts'
import type { Keys } from '../../../src/auth/keys.ts'
import { AUDIENCE, ISSUER, SECRET, secretIssuer } from '../../support/auth/forge.ts'

const limits = fp(
  async app => {
    app.decorate(GUARDS, { countFailure: () => undefined } as unknown as Guards)
  },
  { name: 'toolrack-rate-limit' },
)

t.test('B26: a key that is taken away while a token of it is verified leaves nothing remembered', async t => {
  let generation = 0
  let looks = 0
  const keys: Keys = {
    algorithms: ['HS256'],
    get generation() {
      return generation
    },
    find() {
      generation = 1
      return looks++ === 0 ? { algorithms: ['HS256'], key: SECRET, cost: 1 } : undefined
    },
    start: async () => {},
    close: () => {},
  }
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(limits)
  const claims = { issuers: [ISSUER], audiences: [AUDIENCE] }
  await app.register(auth, { keys, claims, metadataUrl: 'https://x.example/m', scopes: () => [] })
  app.setErrorHandler((_error, _request, reply) => reply.code(401).send())
  app.get('/', { onRequest: app[GUARDS].authenticate }, async request => request.caller?.subject)
  const headers = { authorization: `Bearer ${secretIssuer().token()}` }

  t.equal((await app.inject({ url: '/', headers })).body, 'alice')
  t.equal((await app.inject({ url: '/', headers })).statusCode, 401)
})
