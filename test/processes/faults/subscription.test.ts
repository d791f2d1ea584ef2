// Only the subscription of a replica is cut: it still learns of changed lists. F5 of
// test/security/README.md.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { listening } from './before.ts'
import { callTool, look } from './client.ts'
import { rig, whenSo } from './rig.ts'

const CUT_MS = 10_000

t.test('F5: a change that was not heard is noticed by its version', { skip: NO_REDIS }, async t => {
  const { admin, cut, other } = await rig(t)
  await whenSo(async () => (await look(cut.url, '/ready')).body.degraded === undefined)
  const listener = await listening(t, cut.url)
  const isTold = (count: number) =>
    listener.messages.filter(({ method }) => method?.endsWith('list_changed')).length >= count

  await admin.call('ACL', 'SETUSER', 'default', '-subscribe')
  await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
  await sleep(500)
  const startedMs = performance.now()
  await callTool(other.url, 'change')
  const inCut = await whenSo(() => isTold(1))
  await sleep(Math.max(0, CUT_MS - (performance.now() - startedMs)))
  await admin.call('ACL', 'SETUSER', 'default', '+subscribe')
  await callTool(other.url, 'change')
  const healed = await whenSo(() => isTold(2))

  t.not(inCut, undefined, 'also while it is cut')
  t.not(healed, undefined)
  t.ok(cut.isRunning)
  t.same(
    cut.lines.filter(line => /UNHANDLED|WARNING/.test(line)),
    [],
  )
  t.comment(`told in ${inCut} ms while it is cut, in ${healed} ms when it is not`)
})
