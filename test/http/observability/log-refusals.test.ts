// What is refused is a warning with what to do about it, of each reason one in a while.
import { existsSync, readFileSync } from 'node:fs'
import { mock } from 'node:test'
import t from 'tap'
import { SETTINGS } from '../../../src/config/settings.ts'
import { DEFAULT_HINT, HINTS, RefusalLog } from '../../../src/observability/warnings.ts'
import { CATALOGUE, type ErrorName } from '../../../src/protocol/errors.ts'
import { THROTTLE_MS } from '../../../src/request/log-throttle.ts'
import { build, call } from '../../support/app.ts'
import { session } from '../../support/client/app-client.ts'

/** Lines by level, and a clock that the test moves. */
function refusalLog() {
  const lines: { level: string; fields: Record<string, unknown>; text: string }[] = []
  const write = (level: string) => (fields: object, text: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, text })
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const clock = { nowMs: 0 }
  return { refusals: new RefusalLog(log, 'debug', () => clock.nowMs), lines, clock }
}

t.test('logs: of 10,000 refusals in a second, one is a warning, and the next tells how many were not', async t => {
  const { refusals, lines, clock } = refusalLog()

  for (let index = 0; index < 10_000; index++) {
    clock.nowMs = index / 10
    refusals.log({ requestId: `r-${index}` }, { outcome: 'limited', reason: 'RATE_LIMITED' })
  }
  clock.nowMs = THROTTLE_MS
  refusals.log({ requestId: 'later' }, { outcome: 'limited', reason: 'RATE_LIMITED' })

  const warnings = lines.filter(({ level }) => level === 'warn')
  t.match(warnings, [
    { fields: { requestId: 'r-0', reason: 'RATE_LIMITED', hint: HINTS.RATE_LIMITED }, text: 'refused' },
    { fields: { requestId: 'later', before: 9999, hint: HINTS.RATE_LIMITED }, text: 'refused' },
  ])
  t.equal(warnings.length, 2)
  t.notOk('before' in warnings[0]!.fields)
  t.equal(lines.filter(({ level }) => level === 'debug').length, 9999, 'the rest is for who looks closely')
})

t.test('logs: a flood of one reason silences no other', async t => {
  const { refusals, lines } = refusalLog()
  for (let index = 0; index < 100; index++)
    refusals.log({ requestId: 'flood' }, { outcome: 'denied', reason: 'UNAUTHENTICATED' })

  refusals.log({ requestId: 'other' }, { outcome: 'denied', reason: 'FORBIDDEN_ORIGIN' })

  t.match(
    lines.filter(({ level }) => level === 'warn'),
    [{ fields: { requestId: 'flood' } }, { fields: { requestId: 'other', hint: HINTS.FORBIDDEN_ORIGIN } }],
  )
})

t.test('logs: what is told again has begun to count anew', async t => {
  const { refusals, lines, clock } = refusalLog()
  for (const nowMs of [0, 1, THROTTLE_MS, 2 * THROTTLE_MS]) {
    clock.nowMs = nowMs
    refusals.log({ requestId: 'r' }, { outcome: 'busy', reason: 'BUSY' })
  }

  t.strictSame(
    lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields['before']),
    [undefined, 1, undefined],
  )
})

t.test('logs: each hint names settings and pages that there are', async t => {
  for (const [name, hint] of [...Object.entries(HINTS), ['otherwise', DEFAULT_HINT] as const]) {
    t.ok(name === 'otherwise' || (name as ErrorName) in CATALOGUE, name)
    const settings = hint.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
    t.strictSame(
      settings.filter(setting => !(setting in SETTINGS)),
      [],
      hint,
    )
    for (const page of hint.match(/docs\/[\w/-]+\.md/g) ?? []) t.ok(existsSync(page), page)
  }
})

t.test('logs: 300 requests without a token are one warning over HTTP', async t => {
  const app = await build(t, { jwt: { secret: 'a secret of 32 bytes, or some more' }, logLevel: 'info' })
  // So that no second one is due, however long a machine stands still.
  const nowMs = performance.now()
  const { mock: now } = mock.method(performance, 'now', () => nowMs)
  t.teardown(() => now.restore())

  for (let index = 0; index < 300; index++) await call(app, 'tools/list').catch(() => {})

  const warnings = app.logs.lines.filter(({ msg, level }) => msg === 'refused' && level === 40)
  t.match(warnings, [{ outcome: 'denied', reason: 'UNAUTHENTICATED', hint: /JWT_AUDIENCE/ }])
  t.equal(warnings.filter(({ reason }) => reason === 'UNAUTHENTICATED').length, 1)
})

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${TRACE_ID}-b7ad6b7169203331-01`

t.test('logs: what is refused after its message was read has its trace id', async t => {
  const app = await build(t)

  await call(app, 'tools/list', {}, { meta: { traceparent }, headers: { 'mcp-method': 'ping' } })

  t.match(
    app.logs.lines.find(({ msg }) => msg === 'refused'),
    { level: 40, reason: 'HEADER_MISMATCH', traceId: TRACE_ID, hint: DEFAULT_HINT },
  )
})

t.test('logs: so has what is refused within a session, and what was refused by its headers alone', async t => {
  const client = await session(t)
  const { app } = client

  await client.call('tools/list', { _meta: { traceparent, progressToken: {} } })
  await call(app, 'tools/list', {}, { headers: { traceparent, origin: 'https://elsewhere.example' } })

  t.match(
    app.logs.lines.filter(({ msg }) => msg === 'refused'),
    [
      { reason: 'INVALID_PARAMS', traceId: TRACE_ID },
      { reason: 'FORBIDDEN_ORIGIN', traceId: TRACE_ID },
    ],
  )
})

t.test('logs: the page on observability names each field of a refusal', async t => {
  const page = readFileSync('docs/reference/observability.md', 'utf8')

  for (const field of ['requestId', 'traceId', 'outcome', 'reason', 'before', 'hint']) t.match(page, `\`${field}\``)
})
