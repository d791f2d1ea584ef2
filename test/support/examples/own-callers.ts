import Fastify from 'fastify'
import toolrack from 'toolrack'

const app = Fastify()
app.decorateRequest('caller', undefined)
app.addHook('onRequest', async request => {
  const user = request.headers['x-user']
  if (typeof user === 'string') request.caller = { subject: user, scopes: ['prices:read'] }
})
await app.register(toolrack, { toolsDir: './tools' })
