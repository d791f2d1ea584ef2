// Limits while Redis is away: each replica counts for itself. security.md C10.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { NO_REDIS } from '../redis/redis-server.ts'
import { shown } from './before.ts'
import { callTool } from './client.ts'
import { type Rig, rig, whenSo } from './rig.ts'
import type { Mode } from './tcp-proxy.ts'
import { isOk } from './trial.ts'

const MAX = 20
const HOLD_MS = 5000
/** Who is limited is told at once; this is what a busy machine may make of that, and less than Redis is away. */
const LIMITED_MS = 3000
let faults = 0

async function assertBounded(t: Test, url: string, address: string): Promise<number> {
  const answers = await Promise.all(Array.from({ length: MAX * 3 }, () => callTool(url, 'echo', {}, address)))
  const passed = answers.filter(isOk)
  const limited = answers.filter(
    ({ status, headers, ms }) => status === 429 && /^[1-9]\d*$/.test(String(headers['retry-after'])) && ms < LIMITED_MS,
  )
  t.equal(passed.length, MAX, 'as many pass as may')
  t.equal(limited.length, answers.length - MAX, 'the others are told when to come again')
  t.same(answers.filter(answer => !passed.includes(answer) && !limited.includes(answer)).map(shown), [])
  return Math.round(Math.max(...answers.map(({ ms }) => ms)))
}

type Test = typeof t

async function assertFault(t: Test, { cut, other, proxy }: Rig, mode: Mode): Promise<void> {
  const from = `10.3.${++faults}`
  await proxy.turn(mode)
  const onset = await assertBounded(t, cut.url, `${from}.1`)
  const during = await assertBounded(t, cut.url, `${from}.2`)
  await sleep(HOLD_MS)
  const late = await assertBounded(t, cut.url, `${from}.3`)
  await assertBounded(t, other.url, `${from}.3`)
  t.ok(
    cut.lines.some(line => line.includes('redis does not answer')),
    'the log says so',
  )
  await proxy.turn({ kind: 'pass' })
  t.comment(`${mode.kind}: within ${onset} ms at its beginning, then ${during}, ${late}`)
}

t.test('C10: limits while Redis is away', { skip: NO_REDIS }, async t => {
  const parts = await rig(t, { environment: { RATE_LIMIT_MAX: String(MAX) } })
  for (const kind of ['refuse', 'drop', 'slow'] as const) {
    await t.test(kind, t => assertFault(t as Test, parts, { kind }))
    const shared = await whenSo(async () => {
      const address = `10.4.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`
      const urls = Array.from({ length: MAX * 2 }, (_, index) => (index % 2 ? parts.cut.url : parts.other.url))
      const answers = await Promise.all(urls.map(url => callTool(url, 'echo', {}, address)))
      return answers.filter(isOk).length === MAX
    })
    t.not(shared, undefined, 'then limits are counted for all again')
    t.comment(`exact again in ${shared} ms`)
  }
})
