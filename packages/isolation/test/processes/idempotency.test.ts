// The idempotency key of a call may be used again if its handler has not begun in its process.
import t, { type Test } from 'tap'
import { Cancellation } from '../../../../src/request/cancellation.ts'
import { until } from '../../../../test/support/security/hostile.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { MAX_PROCESSES } from '../../src/isolation.ts'
import { callAs, isolated, WAITING } from '../isolated.ts'

const KEYED = { params: { name: 'tool', arguments: { who: 'alice', idempotencyKey: '1' } } }
const MAX_WAITING = 100

/** Calls of others, each in a process of its own or waiting for one, until they are ended. */
async function busy(t: Test, count: number) {
  const parts = isolated(t, WAITING)
  const gate = await parts.gate()
  const tool = parts.toolWith({ idempotency: true })
  const cancellations = Array.from({ length: count }, () => new Cancellation())
  const calls = cancellations.map((cancellation, n) => callAs(parts, tool, `subject ${n}`, { cancellation }))
  await until(() => gate.running.length === MAX_PROCESSES, 'all processes are taken')
  const endAll = () => {
    for (const cancellation of cancellations) cancellation.cancel('cancelled')
    return Promise.all(calls)
  }
  const call = (over: object = {}) => callAs(parts, tool, 'alice', { ...KEYED, ...over })
  return { gate, call, endAll }
}

type Busy = Awaited<ReturnType<typeof busy>>

async function assertRunsOnce(t: Test, { gate, call, endAll }: Busy): Promise<void> {
  await endAll()
  const again = call()
  const isHers = ({ who }: { who: string }) => who === 'alice'
  await until(() => gate.begun.some(isHers), 'it runs')
  gate.endOne('alice')
  t.match(await again, { kind: 'ok' })
  t.match(await call(), { kind: 'ok' })
  t.equal(gate.begun.filter(isHers).length, 1)
}

t.test('idempotency: a full queue does not use a key up', async t => {
  const others = await busy(t, MAX_PROCESSES + MAX_WAITING)

  t.match(await others.call(), { kind: 'busy' })
  await assertRunsOnce(t, others)
})

t.test('idempotency: nor does a client that leaves while its call waits for a process', async t => {
  const others = await busy(t, MAX_PROCESSES)
  const cancellation = new Cancellation()
  const call = others.call({ cancellation })
  cancellation.cancel('client-left')

  t.match(await call, { kind: 'cancelled' })
  await assertRunsOnce(t, others)
})

t.test('idempotency: nor do arguments that the schema library refuses in the process', async t => {
  const folder = tempFolder(t, { strict: '' })
  const topLevel = `import { existsSync } from 'node:fs'
const validate = value => (existsSync('${folder.path}/strict') ? { issues: [{ message: 'no' }] } : { value })
const jsonSchema = { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) }
const inputSchema = { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } }`
  const parts = isolated(t, `() => 'ran', inputSchema`, { topLevel })
  const tool = parts.toolWith({ idempotency: true })

  t.match(await callAs(parts, tool, 'alice', KEYED), { kind: 'tool_error' })
  folder.write({ strict: undefined })
  t.match(await callAs(parts, tool, 'alice', KEYED), { kind: 'ok' })
})

t.test('idempotency: nor does a process that ends before the handler begins', async t => {
  const folder = tempFolder(t, { broken: '' })
  const topLevel = `import { existsSync } from 'node:fs'
if (existsSync('${folder.path}/broken')) process.reallyExit(3)`
  const parts = isolated(t, `() => 'ran'`, { topLevel })
  const tool = parts.toolWith({ idempotency: true })

  t.match(await callAs(parts, tool, 'alice', KEYED), { kind: 'tool_error' })
  folder.write({ broken: undefined })
  t.match(await callAs(parts, tool, 'alice', KEYED), { kind: 'ok' })
})
