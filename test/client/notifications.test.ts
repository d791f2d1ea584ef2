import type { Progress } from '@modelcontextprotocol/client'
import t from 'tap'
import { defineTool } from '../../src/index.ts'
import { connect } from './connect.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

const work = defineTool({
  name: 'work',
  handler(_args, ctx) {
    ctx.progress(1, 3, 'first')
    ctx.progress(2, 3)
    ctx.progress(3, 3, 'last')
    return 'done'
  },
})

const chatty = defineTool({
  name: 'chatty',
  handler(_args, { log }) {
    log.debug('fine detail')
    log.notice({ rows: 3 })
    log.error('broken', { code: 7 })
    return 'done'
  },
})

t.test('progress: the client hears of it before the result', async t => {
  const heard: Progress[] = []
  const { client, lastSent } = await connect(t, { tools: [work] })

  const result = await client.callTool({ name: 'work' }, { onprogress: progress => heard.push(progress) })

  t.match(result.content, [{ type: 'text', text: 'done' }])
  t.strictSame(heard, [
    { progress: 1, total: 3, message: 'first' },
    { progress: 2, total: 3 },
    { progress: 3, total: 3, message: 'last' },
  ])
  t.match(lastSent('tools/call').contentType, /^text\/event-stream/)
})

t.test('progress: who does not listen gets plain JSON', async t => {
  const { client, lastSent } = await connect(t, { tools: [work] })

  await client.callTool({ name: 'work' })

  t.match(lastSent('tools/call').contentType, /^application\/json/)
})

t.test('logging: the client hears what is at least of the level that it asked for', async t => {
  const heard: unknown[] = []
  const { client } = await connect(t, { tools: [chatty] }, {}, client =>
    client.setNotificationHandler('notifications/message', ({ params }) => {
      heard.push(params)
    }),
  )

  await client.callTool({ name: 'chatty', _meta: { [LOG_LEVEL]: 'notice' } })

  t.strictSame(heard, [
    { level: 'notice', logger: 'chatty', data: { rows: 3 } },
    { level: 'error', logger: 'chatty', data: { message: 'broken', data: { code: 7 } } },
  ])
})

t.test('logging: without a level the client hears nothing, and the server logs all', async t => {
  const { app, client, lastSent } = await connect(t, { tools: [chatty] })

  await client.callTool({ name: 'chatty' })

  t.equal(lastSent('tools/call').messages.length, 1)
  t.match(
    app.logs.lines.filter(({ tool }) => tool === 'chatty').map(({ level, entry }) => [level, entry]),
    [
      [20, 'fine detail'],
      [30, { rows: 3 }],
      [50, { message: 'broken' }],
    ],
  )
})
