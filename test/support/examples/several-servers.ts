import Fastify from 'fastify'
import toolrack from 'toolrack'

const app = Fastify()
await app.register(
  async scope => {
    await scope.register(toolrack, { name: 'shop' })
    scope.toolrack.add({ name: 'hours', handler: () => 'Monday to Friday' })
  },
  { prefix: '/shop' },
)
await app.register(async scope => void (await scope.register(toolrack, { name: 'staff' })), { prefix: '/staff' })
