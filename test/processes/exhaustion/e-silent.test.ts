// Clients that connect and send nothing.
import { once } from 'node:events'
import net from 'node:net'
import { mock } from 'node:test'
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { listeningInTime as listening } from '../../support/app.ts'
import { callOver } from '../../support/servers/own-process.ts'

const COUNT = 500
/** Of the 60 s that a connection may send nothing for, what is left after the 5 s that headers may take. */
const LEFT_MS = 55_000

const filler = defineTool({ name: 'filler', handler: () => 'x' })

t.test('E11: a request that never comes is given up too, and idle sockets stop nobody', async t => {
  const { app, port, url } = await listening(t, { tools: [filler] })
  // Not before they were looked at, however long the machine stands still.
  const { headersTimeout, requestTimeout } = app.server
  Object.assign(app.server, { headersTimeout: 600_000, requestTimeout: 600_000 })
  const sockets = Array.from({ length: COUNT }, () => net.connect(port, '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => {})
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map(socket => once(socket, 'connect')))

  const { body } = await callOver(url, 'filler')

  t.equal(body.result.content[0].text, 'x')
  const areOpen = () => !sockets.some(socket => socket.destroyed || socket.readableEnded)
  t.ok(areOpen(), 'before those are given up')
  const connections = () => new Promise<number>(done => app.server.getConnections((_error, count) => done(count)))
  const closed = Promise.all(sockets.map(socket => once(socket.resume(), 'close')))
  const late = new Set<unknown>()
  const areLate = new Promise<void>(done =>
    app.server.on('clientError', (_error, socket) => late.add(socket).size === COUNT && done()),
  )
  // Node's own look at its connections goes on in real time.
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  Object.assign(app.server, { headersTimeout, requestTimeout })
  await areLate

  mock.timers.tick(LEFT_MS - 1)
  t.ok((await connections()) >= COUNT, 'they have their minute')
  mock.timers.tick(1)

  await closed
})
