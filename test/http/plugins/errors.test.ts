import Fastify from 'fastify'
import t from 'tap'
import toolrack, { defineTool } from '../../../src/index.ts'
import { request } from '../../support/app.ts'

const echo = defineTool({ name: 'echo', description: 'Says so', handler: () => 'so' })

t.test('what a hook of the host app refuses is answered by the host', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async () => {
    throw Object.assign(new Error('who are you?'), { statusCode: 401 })
  })
  await app.register(toolrack, { tools: [echo] })
  const { message, headers } = request('tools/list')

  const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })

  t.equal(reply.statusCode, 401)
  t.match(reply.json(), { message: 'who are you?' })
})

t.test('so is a 503 of the host app', async t => {
  const app = Fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async () => {
    throw Object.assign(new Error('back at noon'), { statusCode: 503 })
  })
  await app.register(toolrack, { tools: [echo] })
  const { message, headers } = request('tools/list')

  const reply = await app.inject({ method: 'POST', url: '/mcp', headers, payload: JSON.stringify(message) })

  t.equal(reply.statusCode, 503)
  t.match(reply.json(), { message: 'back at noon' })
})

t.test('a body that is too large is told the bound that holds, whatever that of the host app is', async t => {
  const app = Fastify({ bodyLimit: 512 })
  t.teardown(() => app.close())
  await app.register(toolrack, { tools: [echo], limits: { maxBodyBytes: 1024 }, httpSse: true })
  const { headers } = request('tools/list')

  for (const [method, url] of [
    ['POST', '/mcp'],
    ['DELETE', '/mcp'],
    ['POST', '/messages'],
  ] as const) {
    const { 'mcp-protocol-version': _modern, ...plain } = headers
    const reply = await app.inject({ method, url, headers: plain, payload: ' '.repeat(1025) })
    t.equal(reply.statusCode, 413, `${method} ${url}`)
    t.match(reply.json(), { error: { code: 41300, message: 'Body too large: at most 1024 bytes' } })
  }
})
