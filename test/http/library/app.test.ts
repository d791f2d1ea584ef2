import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build, callTool } from '../../support/app.ts'

const probe = defineTool({ name: 'probe', handler: () => 'here' })

t.test('createServer: routes that are added have a logger, a parsed body and the error they throw', async t => {
  const app = await build(t, { tools: [probe] })
  app.post('/own', async request => {
    request.log.info({ step: 1 }, 'own route')
    return { got: request.body }
  })
  app.get('/gone', async () => {
    throw Object.assign(new Error('it was here'), { statusCode: 410 })
  })

  const own = await app.inject({ method: 'POST', url: '/own', payload: { a: 1 } })
  const gone = await app.inject('/gone')

  t.strictSame(own.json(), { got: { a: 1 } })
  t.match(
    app.logs.lines.find(line => line.msg === 'own route'),
    { step: 1, requestId: /./ },
  )
  t.match(gone, { statusCode: 410 })
  t.match(gone.json(), { message: 'it was here' })
  t.equal((await callTool(app, 'probe')).content[0].text, 'here')
})

t.test('createServer: another path is refused before its body is read', async t => {
  const app = await build(t, { tools: [probe] })

  const reply = await app.inject({
    method: 'POST',
    url: '/nope',
    headers: { 'content-type': 'application/json' },
    payload: '{',
  })

  t.equal(reply.statusCode, 404)
  t.match(reply.json(), { jsonrpc: '2.0', error: { code: 40400 } })
})

t.test('createServer: a PUBLIC_URL in the clear, where tokens or keys go, is a warning', async t => {
  const SECRET = 'x'.repeat(32)
  const warnings = async (options: Parameters<typeof build>[1]) =>
    (await build(t, options)).logs.lines.filter(({ msg }) => msg.startsWith('tokens cross the network in the clear'))

  for (const publicUrl of ['http://tools.example/mcp', 'http://10.1.2.3:3000/mcp'])
    t.match(await warnings({ publicUrl, jwt: { secret: SECRET } }), [{ level: 40, publicUrl }])
  for (const publicUrl of ['https://tools.example/mcp', 'http://localhost:3000/mcp', 'http://[::1]/mcp', undefined])
    t.strictSame(await warnings({ publicUrl, jwt: { secret: SECRET } }), [])
  t.strictSame(await warnings({ publicUrl: 'http://tools.example/mcp' }), [], 'nobody sends tokens')
})
