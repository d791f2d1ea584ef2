// What `toolrack call` shows while a tool runs: its log lines, and how far it is.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { defineTool } from '../../../../../src/index.ts'
import { listening } from '../../../../../test/support/app.ts'
import { noTerminal, runPiped, startOnTerminal } from '../../../../../test/support/command-line.ts'

t.setTimeout(300_000)
const RED = '\u001b[31mred'
const teller = defineTool({
  name: 'tell',
  async handler(_args, ctx) {
    ctx.log.warning('says "two words"')
    ctx.log.info('has stored', { count: 2 })
    await sleep(20)
    return 'told'
  },
})
const painter = defineTool({
  name: 'paint',
  sanitize: false,
  handler: (_args, ctx) => {
    ctx.log.info(`${RED} line`)
    return 'painted'
  },
})
const { url } = await listening(t, { tools: [teller, painter], rateLimit: { max: 100_000 } })
const ERAS = [[], ['--revision', '2025-11-25']] as const

for (const era of ERAS) {
  const name = era[1] ?? 'auto'

  t.test(`${name}: a log line is its text, and its data as JSON`, async t => {
    const { stdout, stderr } = await runPiped(t, ['call', url, 'tell', ...era])

    t.match(stdout, 'told')
    t.match(stderr, /^warning tell: says "two words"$/m)
    t.match(stderr, /^info tell: has stored \{"count":2\}$/m)
  })
}

t.test('on a terminal the level is dim, and only the text is made harmless', { skip: noTerminal }, async t => {
  const { stdout } = await startOnTerminal(t, ['call', url, 'paint'], { env: { NO_COLOR: undefined } }).ended

  t.match(stdout, '\u001b[2minfo\u001b[22m paint: ')
  t.notMatch(stdout, '\\x1b[2m')
  t.notMatch(stdout, RED)
})
