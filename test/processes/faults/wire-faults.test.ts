// The wire between a replica and its Redis fails: F2, F5, C10 and P7 of test/security/README.md.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { rig } from './rig.ts'
import type { Mode } from './tcp-proxy.ts'
import { type Fault, trial } from './trial.ts'

const fault = (name: string, mode: Mode): Fault => ({
  name,
  begin: ({ proxy }) => proxy.turn(mode),
  end: ({ proxy }) => proxy.turn({ kind: 'pass' }),
  holdMs: 5000,
})

const FAULTS = [
  fault('refused', { kind: 'refuse' }),
  fault('black-holed', { kind: 'drop' }),
  fault('reset', { kind: 'reset' }),
  fault('slow', { kind: 'slow' }),
  fault('late by 600 ms', { kind: 'delay', ms: 300 }),
]

t.test('F2, F5, C10, P7: the wire to Redis fails', { skip: NO_REDIS }, async t => {
  const parts = await rig(t)
  for (const fault of FAULTS) await t.test(`Redis is ${fault.name}`, t => trial(t, parts, fault))
})
