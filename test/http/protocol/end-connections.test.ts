import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import t from 'tap'
import { createServer, defineTool } from '../../../src/index.ts'
import { callTool, request } from '../../support/app.ts'

async function listeningApp(...tools: ReturnType<typeof defineTool>[]) {
  const app = await createServer({ tools, logLevel: 'silent', drainMs: 5000 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, port: (app.server.address() as net.AddressInfo).port }
}

t.test('close: a connection on which nothing was asked does not hold it up', async t => {
  const { app, port } = await listeningApp()
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  await Promise.all([once(app.server, 'connection'), once(socket, 'connect')])
  const ended = once(socket, 'close')

  await app.close()

  await ended
  t.pass('closed')
})

t.test('close: half a request does not hold it up for long', async t => {
  const { app, port } = await listeningApp()
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  const [accepted] = (await once(app.server, 'connection')) as [net.Socket]
  socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\n')
  while (accepted.bytesRead === 0) await new Promise(resolve => setImmediate(resolve))

  await app.close()

  t.pass('closed')
})

t.test('close: a call that is under way is answered in full', async t => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<string>()
  const text = 'x'.repeat(1_000_000)
  const slow = defineTool({
    name: 'slow',
    handler() {
      started.resolve()
      return release.promise
    },
  })
  const { app, port } = await listeningApp(slow)
  const { message, headers } = request('tools/call', { name: 'slow', arguments: {} })
  const sent = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers })
  sent.end(JSON.stringify(message))
  await started.promise

  const closed = app.close()
  release.resolve(text)

  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const body = Buffer.concat(await response.toArray())
  t.equal(JSON.parse(body.toString()).result.content[0].text.length, text.length)
  await closed
})

t.test('close: an app that never listened', async t => {
  const app = await createServer({ tools: [defineTool({ name: 'a', handler: () => 'a' })], logLevel: 'silent' })
  await callTool(app, 'a')

  await t.resolves(app.close())
})
