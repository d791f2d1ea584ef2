// Processes that a test starts are as a user starts them. tap has each of them load its own hooks, to measure coverage:
// a server then needs three times as long to start.
import { createRequire } from 'node:module'

interface ProcessOnSpawn {
  removeAllListeners(): void
}

/** What tap adds. */
const HOOKS = /"?--import=[^" ]*\/@tapjs\/[^" ]*"?/g

/** From here on, in this process; unless coverage is measured, which wants the processes too. */
export function startAsUsersDo(): void {
  if (process.env['_TAPJS_PROCESSINFO_COVERAGE_'] !== '0') return
  const { removeAllListeners }: ProcessOnSpawn = createRequire(import.meta.url)('process-on-spawn')
  removeAllListeners()
  const options = process.env['NODE_OPTIONS']?.replaceAll(HOOKS, '').trim()
  if (options) process.env['NODE_OPTIONS'] = options
  else delete process.env['NODE_OPTIONS']
  // Isolated tools run with the flags of their server.
  process.execArgv.splice(0)
}
