// Short versions of `npm run chaos:kills` and `npm run chaos:restarts`.
import t from 'tap'
import { NO_REDIS } from '../../support/servers/redis-server.ts'
import { killAll } from './killing.ts'
import { restartAll } from './restarting.ts'

t.test(
  'F1, P6: no acknowledged task is lost or run twice when replicas and Redis are killed',
  { skip: NO_REDIS },
  async t => {
    const { breaches } = await killAll({ kills: 2, tasks: 60, clients: 15, pauseMs: 1500 })

    t.strictSame(breaches, [])
  },
)

t.test(
  'F7, P8: no call fails of a client that sends it again when replicas are restarted',
  { skip: NO_REDIS },
  async t => {
    const { breaches } = await restartAll({ rounds: 1, clients: 3 })

    t.strictSame(breaches, [])
  },
)

t.test('no acknowledged task is lost or run twice when a server with a file is killed', async t => {
  const { breaches } = await killAll({ kills: 3, tasks: 60, clients: 15, pauseMs: 1500, state: 'sqlite' })

  t.strictSame(breaches, [])
})

t.test('no call fails of a client that sends it again when a server with a file is restarted', async t => {
  const { breaches } = await restartAll({ rounds: 2, clients: 3, state: 'sqlite' })

  t.strictSame(breaches, [])
})
