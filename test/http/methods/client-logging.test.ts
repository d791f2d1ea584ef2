// What tools log, for clients: the `logging` capability, on and off.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { META_LOG_LEVEL } from '../../../src/protocol/schemas/common.ts'
import { build, call } from '../../support/app.ts'
import { open } from '../../support/client/app-client.ts'
import { plain } from '../../support/plain.ts'

const loud = defineTool({
  name: 'loud',
  handler(_args, { log }) {
    log.error('a fault')
    return 'done'
  },
})
const meta = { [META_LOG_LEVEL]: 'debug' }
const SESSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

t.test('by default it is declared, and clients get the entries that they ask for', async t => {
  const app = await build(t, { tools: [loud] })

  t.match((await call(app, 'server/discover')).result.capabilities, { logging: {} })
  t.match((await call(app, 'tools/call', { name: 'loud' }, { meta })).notifications, [
    { method: 'notifications/message', params: { level: 'error', data: 'a fault' } },
  ])
})

t.test('off, 2026-07-28: it is not declared, and nothing is sent; the log of the server has it', async t => {
  const app = await build(t, { tools: [loud], clientLogging: false })

  t.notHas((await call(app, 'server/discover')).result.capabilities, { logging: {} })
  const { result, notifications } = await call(app, 'tools/call', { name: 'loud' }, { meta })
  t.match(result, { content: [{ text: 'done' }] })
  t.strictSame(notifications, [])
  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'tool log'),
    [{ level: 50, tool: 'loud', entry: 'a fault' }],
  )
})

for (const revision of SESSIONS) {
  t.test(`off, ${revision}: it is not declared, and logging/setLevel is unknown`, async t => {
    const app = await build(t, { tools: [loud], clientLogging: false })
    const client = await open(t, app, { revision })

    t.notHas(client.opened.result.capabilities, { logging: {} })
    t.match((await client.call('logging/setLevel', { level: 'debug' })).error, { code: -32601 })
    t.match((await client.call('logging/setLevel', { level: 'wrong' })).error, { code: -32601 })
    const { messages } = await client.callTool('loud')
    t.match(messages, [{ result: { content: [{ text: 'done' }] } }])
    t.equal(messages.length, 1)
  })
}

t.test('off, plain HTTP has no log events', async t => {
  const app = await build(t, { tools: [loud], clientLogging: false, plainHttp: true })

  const { text } = await plain(app, '/tools/loud', { json: {}, headers: { accept: 'text/event-stream' } })

  t.match(text, 'done')
  t.notMatch(text, 'a fault')
})
