// Unread answers are bounded in bytes, for a client and for the process.
import net from 'node:net'
import t from 'tap'
import { defineResource, defineTool } from '../../../src/index.ts'
import { UnsentBytes } from '../../../src/request/unsent-bytes.ts'
import { request } from '../../support/app.ts'
import { post, until, wired } from '../../support/security/hostile.ts'
import { callOf, openSessionAt } from '../../support/security/sessions.ts'

const MIB = 2 ** 20
/** More than the buffers of both kernels hold. */
const TEXT = 'x'.repeat(32 * MIB)
const bounds = { process: 100 * MIB, client: 50 * MIB }

let answered = 0
const large = defineResource({
  uri: 'large:1',
  name: 'large',
  handler() {
    answered++
    return TEXT
  },
})

function bytesOf(method: string, params: Record<string, unknown>): string {
  const { message, headers } = request(method, params, { headers: { accept: 'application/json' } })
  const body = JSON.stringify(message)
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(pair => `${pair.join(': ')}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

t.test('E3: requests that come at once are answered as far as their client has a share', async t => {
  const unsent = new UnsentBytes(bounds)
  const { port } = await wired(t, [large], { unsent, maxResultBytes: 2 * TEXT.length })
  answered = 0
  const socket = net.connect(port, '127.0.0.1').pause()
  t.teardown(() => socket.destroy())
  socket.write(bytesOf('resources/read', { uri: 'large:1' }).repeat(50))
  await until(() => answered > 0 && unsent.bytes > bounds.client, 'some are unread')

  let [text, length] = ['', 0]
  socket.setEncoding('latin1').on('data', (chunk: unknown) => {
    length += String(chunk).length
    text += String(chunk).replace(/x+/g, '')
  })
  socket.resume()
  await until(() => text.match(/HTTP\/1\.1 \d/g)?.length === 50, 'all were answered')

  t.ok(answered >= 2 && answered <= 3, `${answered} were read of the resource`)
  t.equal(text.match(/HTTP\/1\.1 200 /g)?.length, answered)
  t.equal(text.match(/HTTP\/1\.1 429 /g)?.length, 50 - answered)
  t.ok(length >= answered * TEXT.length)
  t.equal(unsent.bytes, 0)
})

t.test('E3: answers of one turn wait for each other, and all come where they are read', async t => {
  const unsent = new UnsentBytes({ process: 40 * MIB, client: 40 * MIB })
  const [started, release] = [{ count: 0 }, Promise.withResolvers<string>()]
  const slow = defineTool({
    name: 'slow',
    handler() {
      started.count++
      return release.promise
    },
  })
  const { port } = await wired(t, [slow], { unsent })
  const { message, headers } = request('tools/call', { name: 'slow', arguments: {} })
  const ask = async () => {
    const { host: _, ...rest } = headers
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: rest,
      body: JSON.stringify(message),
    })
    return [answer.status, (await answer.text()).length > 3 * MIB]
  }
  const asked = Array.from({ length: 30 }, ask)
  await until(() => started.count === 30, 'all wait')
  const most = { ofTurn: 0, atOnce: 0 }
  const add = unsent.addBuilt.bind(unsent)
  unsent.addBuilt = bytes => {
    if (most.ofTurn === 0) setImmediate(() => (most.ofTurn = 0))
    most.ofTurn += bytes
    most.atOnce = Math.max(most.atOnce, most.ofTurn)
    add(bytes)
  }

  release.resolve('y'.repeat(3 * MIB))

  t.strictSame(
    await Promise.all(asked),
    asked.map(() => [200, true]),
  )
  t.ok(most.atOnce > 30 * MIB && most.atOnce < 45 * MIB, `${most.atOnce} bytes are written in one turn`)
  await until(() => unsent.bytes === 0, 'nothing is left')
})

t.test('E3: what a reader has not taken of a stream counts until it leaves', async t => {
  const unsent = new UnsentBytes(bounds)
  const noisy = defineTool({
    name: 'noisy',
    handler(_args, { progress }) {
      progress(1)
      return TEXT
    },
  })
  const { port } = await wired(t, [noisy], { unsent, maxResultBytes: 2 * TEXT.length })
  const session = await openSessionAt(t, port)
  const params = { name: 'noisy', arguments: {}, _meta: { progressToken: 1 } }
  const body = JSON.stringify({ ...callOf('noisy'), params })

  const modern = await post(t, port, 'tools/call', params, { meta: params._meta })
  await until(() => unsent.bytes > TEXT.length, 'it is unread')
  modern.destroy()
  await until(() => unsent.bytes === 0, 'it is given back')
  const older = net.connect(port, '127.0.0.1').pause()
  t.teardown(() => older.destroy())
  older.write(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nmcp-session-id: ${session}\r\n` +
      `accept: application/json, text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await until(() => unsent.bytes > TEXT.length, 'that of a session is unread')
  older.destroy()

  await until(() => unsent.bytes === 0, 'it is given back too')
})
