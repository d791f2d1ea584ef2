// How analyze_csv reads: in one pass, with progress, within bounds, until it is told to stop.
import t from 'tap'
import { call, callTool } from '../../../support/app.ts'
import { dataFile, serve, toolModule } from '../../../support/tools/shipped.ts'

t.test('analyze_csv: a million rows are read', async t => {
  const filepath = dataFile(t, `a\n${'1\n'.repeat(1_000_000)}`)

  const result = await callTool(await serve(t, 'analyze_csv'), 'analyze_csv', {
    filepath,
    operations: ['sum'],
  })

  t.match(result.structuredContent, { rows: 1_000_000, columns: [{ sum: 1_000_000 }] })
})

t.test('analyze_csv: progress counts the bytes of the input', async t => {
  const filepath = dataFile(t, `a\n${'1\n'.repeat(100_000)}`)
  const app = await serve(t, 'analyze_csv')

  const reply = await call(
    app,
    'tools/call',
    { name: 'analyze_csv', arguments: { filepath } },
    { meta: { progressToken: 'p' } },
  )

  const told = reply.notifications.map(({ params }) => params)
  t.equal(told.length, 13)
  t.match(told[0], {
    progressToken: 'p',
    progress: 16_384,
    total: 200_002,
    message: /^81\d\d rows so far, bytes read$/,
  })
  t.match(told.at(-1), { progress: 200_002, total: 200_002, message: /^999\d\d rows so far, bytes read$/ })
  t.equal(reply.result.structuredContent.rows, 100_000)
})

const { readTable } = await toolModule<typeof import('../../../../tools/analyze-csv/table.ts')>('analyze-csv/table.ts')

/** An input without an end. */
function endless() {
  const state = { chunks: 0, isClosed: false }
  async function* chunks() {
    try {
      yield Buffer.from('a\n')
      for (;;) {
        await new Promise(setImmediate)
        state.chunks++
        yield Buffer.alloc(65_536, `${'x'.repeat(127)}\n`)
      }
    } finally {
      state.isClosed = true
    }
  }
  return { state, source: { bytes: 1, head: Buffer.from('a\n'), chunks: chunks(), async close() {} } }
}

t.test('analyze_csv: a call that is cancelled stops reading', async t => {
  const { state, source } = endless()
  const controller = new AbortController()
  const progress = () => state.chunks === 5 && controller.abort()

  const reading = readTable(source, { columns: undefined, progress, signal: controller.signal })

  await t.rejects(reading, { name: 'AbortError' })
  t.ok(state.isClosed)
  t.ok(state.chunks < 10, 'within a few chunks')
})

t.test('analyze_csv: a file that grows past the limit while it is read is given up', async t => {
  const { state, source } = endless()

  const signal = AbortSignal.timeout(20_000)
  const reading = readTable(source, { columns: undefined, progress() {}, signal, maxBytes: 1_000_000 })

  await t.rejects(reading, { name: 'ToolError', message: /larger than 1 MB/ })
  t.ok(state.isClosed)
})
