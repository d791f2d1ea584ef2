// A time of a definition is a number of milliseconds, or a text.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { buildTool } from '../../../src/registry/tool.ts'
import { build, callTool } from '../../support/app.ts'

const TIMES: [time: number | string, ms: number][] = [
  [30_000, 30_000],
  ['30000', 30_000],
  ['30 s', 30_000],
  ['30s', 30_000],
  [' 5 minutes ', 300_000],
  ['0.5 min', 30_000],
  ['1500 ms', 1500],
]

for (const [time, ms] of TIMES) {
  t.test(`${JSON.stringify(time)} is ${ms} ms, of a timeout and of a window`, t => {
    const tool = buildTool(
      defineTool({ name: 'a', timeout: time, rateLimit: { max: 1, timeWindow: time }, handler: () => '' }),
    )

    t.equal(tool.timeoutMs, ms)
    t.strictSame(tool.rateLimit, { max: 1, windowMs: ms })
    t.end()
  })
}

t.test('a call ends at a timeout that is a text', async t => {
  const app = await build(t, {
    tools: [defineTool({ name: 'never', timeout: '20 ms', handler: () => new Promise(() => {}) })],
  })

  t.match(await callTool(app, 'never'), { isError: true, content: [{ text: /20 ms/ }] })
})
