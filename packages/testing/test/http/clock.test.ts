// testTools with a fake clock: deadlines and rate limits pass by it, and by nothing else.
import t from 'tap'
import { defineTool, type ToolDefinition } from '../../../../src/index.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { testTools } from '../../src/index.ts'

/** A tool that ends when it is told to, and not before. */
function hanging(definition: Partial<ToolDefinition> = {}) {
  const signals: AbortSignal[] = []
  const tool = defineTool({
    name: 'slow',
    handler: (_, { signal }) => new Promise<string>(() => void signals.push(signal)),
    ...definition,
  })
  return { tool, signals }
}

t.test('the deadline of a call passes by the clock', async t => {
  const { tool, signals } = hanging()
  const tools = await testTools(tool, { clock: 'fake' })
  t.teardown(() => tools.close())

  const pending = tools.call('slow')
  await tools.clock.advance(29_999)
  t.equal(signals[0]?.aborted, false)
  await tools.clock.advance(1)

  t.match(await pending, { isError: true, text: 'slow timed out after 30000 ms' })
  t.equal(signals[0]?.aborted, true)
})

t.test('the timeout of a tool, and of a server, is what counts', async t => {
  for (const [own, settings, timeoutMs] of [
    [{ timeout: 600_000 }, {}, 600_000],
    [{}, { limits: { toolTimeout: 70 } }, 70],
  ] as const) {
    const tools = await testTools(hanging(own).tool, { clock: 'fake', settings })
    t.teardown(() => tools.close())
    const pending = tools.call('slow')
    await tools.clock.advance(timeoutMs)
    t.equal((await pending).text, `slow timed out after ${timeoutMs} ms`)
  }
})

t.test('a call becomes a task, and the task meets its deadline, by the clock', async t => {
  const { tool } = hanging({ task: 'optional', timeout: 60_000 })
  const tools = await testTools(tool, { clock: 'fake' })
  t.teardown(() => tools.close())

  const pending = tools.call('slow')
  await tools.clock.advance(60_000)
  const { text, isError, task } = await pending

  t.equal(isError, true)
  t.equal(text, 'slow timed out after 60000 ms')
  t.ok(task)
})

t.test('the deadline of an isolated tool passes once its process has begun the handler', async t => {
  const { path } = tempFolder(t, {
    'slow.ts': `export default {
  name: 'slow', description: 'Waits.', isolate: true, timeout: 60_000, handler: () => new Promise(() => {}),
}`,
  })
  const tools = await testTools(path, { clock: 'fake' })
  t.teardown(() => tools.close())

  const pending = tools.call('slow')
  await tools.clock.advance(60_000)

  t.match(await pending, { isError: true, text: 'slow timed out after 60000 ms' })
})

t.test('a rate limit counts by the clock', async t => {
  const tools = await testTools(
    defineTool({ name: 'rare', rateLimit: { max: 1, timeWindow: '1 minute' }, handler: () => 'ok' }),
    { clock: 'fake', caller: { subject: 'ann' } },
  )
  t.teardown(() => tools.close())

  t.equal((await tools.call('rare')).text, 'ok')
  t.match(await tools.call('rare'), { isError: true, text: 'rare allows 1 calls in 60 s; retry in 60 s' })
  t.equal((await tools.call('rare', {}, { caller: { subject: 'bob' } })).text, 'ok', 'it is counted per caller')
  await tools.clock.advance(60_000)
  t.equal((await tools.call('rare')).text, 'ok')
})

t.test('without a fake clock there is none to advance', async t => {
  const tools = await testTools(hanging().tool)
  t.teardown(() => tools.close())

  t.throws(() => tools.clock, { message: /clock: 'fake'/ })
})
