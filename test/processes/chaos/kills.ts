// npm run chaos:kills: servers and their Redis are killed under load, and no acknowledged task is lost or run twice.
//   npm run chaos:kills -- --kills=20 --tasks=1000
//   npm run chaos:kills -- --state=sqlite --kills=10
import { parseArgs } from 'node:util'
import { killAll } from './killing.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '1000' },
    state: { type: 'string', default: 'redis' },
  },
})

const verdict = await killAll({
  kills: Number(values.kills),
  tasks: Number(values.tasks),
  clients: 40,
  pauseMs: 3000,
  state: values.state === 'sqlite' ? 'sqlite' : 'redis',
})
verdict.print()
process.exitCode = verdict.breaches.length === 0 ? 0 : 1
