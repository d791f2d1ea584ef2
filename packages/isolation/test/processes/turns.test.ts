// Processes are taken in turn: one subject with as many isolated calls as it may holds another up
// for two of them at most.
import t from 'tap'
import { until } from '../../../../test/support/security/hostile.ts'
import { turns } from '../../../../test/support/turns.ts'
import { MAX_PROCESSES } from '../../src/isolation.ts'
import { callAs, isolated, WAITING } from '../isolated.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

for (const concurrency of [undefined, 8]) {
  const what = concurrency === undefined ? 'isolated tool' : `isolated tool with a concurrency of ${concurrency}`
  t.test(`turns: with all processes taken by one subject, another’s call of an ${what} is next`, async t => {
    const parts = isolated(t, WAITING)
    const gate = await parts.gate()
    const tool = parts.toolWith(concurrency === undefined ? {} : { concurrency })
    const hers = times(30, () => callAs(parts, tool))
    await until(() => gate.running.length === MAX_PROCESSES, 'all processes are taken')
    await turns()

    const his = callAs(parts, tool, 'bob')
    await turns()

    t.ok((await gate.endsBefore('bob', 'alice')) <= 2)
    gate.endOne('bob')
    t.match(await his, { kind: 'ok' })
    while (gate.begun.length < 31 || gate.running.length > 0) {
      await until(() => gate.running.length > 0, 'one runs')
      gate.endOne('alice')
    }
    for (const outcome of await Promise.all(hers)) t.match(outcome, { kind: 'ok' })
  })
}

t.test('turns: the queue of the processes has a place for another subject too', async t => {
  const parts = isolated(t, WAITING)
  const tool = parts.toolWith()
  const kinds: string[] = []
  // One subject has 32 at once: it takes four to fill the queue.
  const greedy = ['ann', 'ben', 'cid', 'dot']
  for (const who of greedy)
    for (let count = 0; count < 32; count++) void callAs(parts, tool, who).then(({ kind }) => kinds.push(kind))
  await until(() => kinds.length === 128 - 100 - MAX_PROCESSES, 'what is too much was refused')
  t.ok(kinds.every(kind => kind === 'busy'))

  void callAs(parts, tool, 'bob')

  await until(() => kinds.length === 128 - 100 - MAX_PROCESSES + 1, 'one has made way')
  t.equal(kinds.at(-1), 'busy')
})
