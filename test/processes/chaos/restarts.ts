// npm run chaos:restarts: the servers are restarted, one after the other, under load, and no call of a client fails that
// sends again what was refused for now or cut off.
//   npm run chaos:restarts -- --rounds=10
//   npm run chaos:restarts -- --state=sqlite
import { parseArgs } from 'node:util'
import { restartAll } from './restarting.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, state: { type: 'string', default: 'redis' } },
})

const state = values.state === 'sqlite' ? 'sqlite' : 'redis'
const verdict = await restartAll({ rounds: Number(values.rounds), clients: 6, state })
verdict.print()
process.exitCode = verdict.breaches.length === 0 ? 0 : 1
