// C10 (test/security/README.md): while Redis is away, each replica counts for itself.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { shown } from './before.ts'
import { callTool, type Timed } from './client.ts'
import { type Rig, rig, whenSo } from './rig.ts'
import type { Mode } from './tcp-proxy.ts'
import { isOk } from './trial.ts'

const MAX = 20
const HOLD_MS = 5000
/** Who is limited is told at once; this is what a machine that stands still may make of that. Redis is away for longer. */
const LIMITED_MS = 15_000
const TRIES = 3
let faults = 0

const burst = (url: string, address: string): Promise<Timed[]> =>
  Promise.all(Array.from({ length: MAX * 3 }, () => callTool(url, 'echo', {}, address)))

async function assertBounded(t: Test, url: string, address: string): Promise<number> {
  return assertAsMany(t, await burst(url, address))
}

function assertAsMany(t: Test, answers: readonly Timed[]): number {
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

/** Each of both lets as many pass. On a busy machine Redis may not answer the other in time, which then counts anew. */
async function assertApart(t: Test, { cut, other }: Pick<Rig, 'cut' | 'other'>, from: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const address = `${from}.${2 + tries}`
    const late = await assertBounded(t, cut.url, address)
    const answers = await burst(other.url, address)
    if (answers.filter(isOk).length !== MAX && tries < TRIES) continue
    assertAsMany(t, answers)
    return late
  }
}

async function assertFault(t: Test, { cut, other, proxy }: Rig, mode: Mode): Promise<void> {
  const from = `10.3.${++faults}`
  await proxy.turn(mode)
  const onset = await assertBounded(t, cut.url, `${from}.1`)
  const during = await assertBounded(t, cut.url, `${from}.2`)
  await sleep(HOLD_MS)
  const late = await assertApart(t, { cut, other }, from)
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
