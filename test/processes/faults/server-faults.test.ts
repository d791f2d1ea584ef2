// Redis itself fails: F2, F5, C10 and P7 of test/security/README.md.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { rig } from './rig.ts'
import { type Fault, trial } from './trial.ts'

const FAULTS: readonly Fault[] = [
  { name: 'killed', begin: ({ redis }) => redis.kill(), end: ({ redis }) => redis.start() },
  { name: 'paused for 10 s', begin: ({ redis }) => redis.pause(), end: ({ redis }) => redis.resume(), holdMs: 10_000 },
  {
    name: 'a replica that takes no writes',
    begin: ({ admin }) => admin.replicaof('127.0.0.1', '1'),
    end: ({ admin }) => admin.replicaof('NO', 'ONE'),
  },
  {
    name: 'out of memory',
    begin: ({ admin }) => admin.config('SET', 'maxmemory', '1'),
    end: ({ admin }) => admin.config('SET', 'maxmemory', '0'),
  },
  {
    name: 'asking for a password',
    async begin({ admin }) {
      await admin.config('SET', 'requirepass', 'secret')
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    },
    end: ({ admin }) => admin.config('SET', 'requirepass', ''),
  },
]

t.test('F2, F5, C10, P7: Redis itself fails', { skip: NO_REDIS }, async t => {
  const parts = await rig(t, { isDurable: true })
  for (const fault of FAULTS) await t.test(`Redis is ${fault.name}`, t => trial(t, parts, fault))
})

t.test('F2: Redis starts again without what it held', { skip: NO_REDIS }, async t => {
  const parts = await rig(t)
  await trial(t, parts, {
    name: 'emptied',
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
    forgets: true,
  })
})
