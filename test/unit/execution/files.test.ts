// Files of results, beside a store that is full and results that ask for too much.
import { Readable } from 'node:stream'
import t from 'tap'
import { FakeClock } from '../../../packages/testing/src/fake-clock.ts'
import { execute } from '../../../src/execution/execute.ts'
import type { CallToolResult } from '../../../src/protocol/schemas/results.ts'
import { file } from '../../../src/registry/file-content.ts'
import { Cancellation } from '../../../src/request/cancellation.ts'
import { FILE_BOUNDS } from '../../../src/state/files.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeExchange, fakeExecutor, fakeTool } from '../../support/fakes.ts'

const LARGE = Buffer.alloc(100_000)

t.test('files: one that newer files have replaced while it was written is no dead link', async t => {
  const files = { put: () => false, find: () => undefined }
  const tool = fakeTool({ handler: () => file(LARGE, { name: 'a.bin' }) })

  const outcome = await execute({ ...fakeExecutor(), files }, tool, fakeExchange())

  // Of a `busy` call, the idempotency key counts as unused; this handler has acted.
  t.match(outcome, { kind: 'tool_error' })
  const { result } = outcome as { result: CallToolResult }
  t.match(result, { isError: true, content: [{ text: 'tool: newer files took the room of a.bin; call again later' }] })
})

t.test('files: those of one result that would replace one another are refused', async t => {
  const parts = Array.from({ length: 3 }, (_, n) => file(Buffer.alloc(FILE_BOUNDS.maxFile), { name: `${n}.bin` }))

  const outcome = await execute(fakeExecutor(), fakeTool({ handler: () => parts }), fakeExchange())

  t.match(outcome, {
    kind: 'invalid_output',
    result: { content: [{ text: 'tool returned an invalid result: its files are larger than 32 MiB' }] },
  })
})

t.test('files: the stream of one that comes after the deadline is destroyed', async t => {
  const clock = new FakeClock()
  const exchange = fakeExchange({ cancellation: new Cancellation(undefined, clock) })
  const [stalled, late] = [new Readable({ read() {} }), Promise.withResolvers<unknown>()]
  const running = execute(fakeExecutor(), fakeTool({ timeout: 20, handler: () => late.promise }), exchange)

  await clock.advance(20)
  t.match(await running, { kind: 'timed_out' })
  late.resolve(file(stalled, { name: 'a' }))
  await eventually(() => stalled.destroyed, 'the stream is destroyed')
})
