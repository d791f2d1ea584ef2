// npm run chaos:kills: replicas and Redis are killed under load, and no acknowledged task is lost or run twice.
//   npm run chaos:kills -- --kills=20 --tasks=1000
import { parseArgs } from 'node:util'
import { killAll } from './killing.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, tasks: { type: 'string', default: '1000' } },
})

const verdict = await killAll({ kills: Number(values.kills), tasks: Number(values.tasks), clients: 40, pauseMs: 3000 })
verdict.print()
process.exitCode = verdict.breaches.length === 0 ? 0 : 1
