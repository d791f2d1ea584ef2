// What tools and their files leave behind, as it is logged: bounded for each, and counted all.
import t from 'tap'
import { createMask } from '../../../src/execution/mask.ts'
import { createUnhandledErrorLog, type UnhandledErrorLogOptions } from '../../../src/execution/unhandled-error-log.ts'

function open(options: Partial<UnhandledErrorLogOptions> = {}) {
  const lines: object[] = []
  const counted: string[] = []
  const clock = { nowMs: 0 }
  const error = (fields: object, msg: string) => void lines.push({ ...fields, msg })
  const report = createUnhandledErrorLog({
    describeOrigin: () => ({}),
    log: { debug() {}, info() {}, warn() {}, error },
    mask: createMask(['a-secret']),
    count: source => counted.push(source),
    now: () => clock.nowMs,
    ...options,
  })
  return { lines, counted, clock, report }
}

t.test('unhandled errors: a tool or a file, masked', t => {
  const { lines, counted, report } = open()

  report({ tool: 'a' }, 'said a-secret')
  report({ file: 'tools/a.ts' }, 'said a-secret')

  t.strictSame(lines, [
    { tool: 'a', reason: 'said [secret]', msg: 'unhandled error of a tool' },
    { file: 'tools/a.ts', reason: 'said [secret]', msg: 'unhandled error of a tool file' },
  ])
  t.strictSame(counted, ['a', 'tools/a.ts'])
  t.end()
})

t.test(
  'unhandled errors: a flood of one source is five lines, then one in ten seconds; others are not held back',
  t => {
    const { lines, counted, clock, report } = open()

    for (; clock.nowMs < 60_000; clock.nowMs += 100) report({ tool: 'floods' }, 'again')
    report({ tool: 'other' }, 'once')

    t.equal(counted.length, 601)
    t.equal(lines.length, 5 + 5 + 1)
    t.match(
      lines.slice(5, -1),
      Array.from({ length: 5 }, () => ({ tool: 'floods', before: Number })),
    )
    t.match(lines.at(-1), { tool: 'other', reason: 'once' })
    t.end()
  },
)

t.test('unhandled errors: of a thousand sources it is known how much they said', t => {
  const { lines, report } = open()
  for (let each = 0; each < 10; each++) report({ tool: 'first' }, 'again')
  for (let each = 0; each < 1000; each++) report({ tool: `t${each}` }, 'once')

  report({ tool: 'first' }, 'again')

  t.equal(lines.length, 5 + 1000 + 1)
  t.end()
})
