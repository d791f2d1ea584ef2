// The app around the server may have decorators of any name but `toolrack` and `caller`.
import Fastify from 'fastify'
import t from 'tap'
import { toolrack } from '../../../src/index.ts'
import { call } from '../../support/app.ts'
import { ALICE, RESOURCE, SECRET } from '../../support/auth/guarded.ts'

const OF_INSTANCES = [
  ...['authenticate', 'checkOrigin', 'checkMedia', 'answerPreflight', 'shedLoad', 'limitCaller'],
  ...['countMessage', 'countFailure'],
]
const OF_REQUESTS = ['clientKey', 'startedMs', 'bodyBytes', 'isAudited']

t.test('what an app has under names of plugins that the server uses stays its own', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  const own = Object.freeze({ sign: () => 'mine' })
  app.decorate('jwt' as never, own as never)
  app.decorate('isUnderPressure' as never, false as never)
  await app.register(toolrack, {
    tools: [{ name: 'x', handler: () => 'served' }],
    jwt: { secret: SECRET, audience: RESOURCE },
  })

  t.match(await call(app, 'tools/list', {}, { headers: ALICE }), { result: { tools: [{ name: 'x' }] } })
  t.equal((app as unknown as { jwt: unknown }).jwt, own)
})

t.test('decorators of the app are not those of the server, and stay as they are', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  for (const name of OF_INSTANCES) app.decorate(name, `mine: ${name}`)
  for (const name of OF_REQUESTS) app.decorateRequest(name, `mine: ${name}`)
  const seen: unknown[] = []
  app.addHook('onResponse', async request => {
    for (const name of OF_REQUESTS) seen.push((request as unknown as Record<string, unknown>)[name])
  })

  await app.register(toolrack, { tools: [{ name: 'x', description: 'd', handler: () => 'served' }] })
  const reply = await call(app, 'tools/call', { name: 'x', arguments: {} })

  t.match(reply.result, { content: [{ text: 'served' }] })
  t.strictSame(
    seen,
    OF_REQUESTS.map(name => `mine: ${name}`),
  )
  for (const name of OF_INSTANCES) t.equal((app as unknown as Record<string, unknown>)[name], `mine: ${name}`)
})
