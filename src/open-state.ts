// Where a server remembers: in memory, or where there is a Redis, shared with the other replicas.
import type { Settings } from './config.ts'
import type { Log } from './exchange.ts'
import { memoryState } from './state/memory/state.ts'
import type { State } from './state/state.ts'

/** The code for Redis is loaded only where there is one. */
export async function openState(settings: Settings, log: Log): Promise<State> {
  const { redisUrl: url, redisPrefix: prefix, stateSecret, sessionTtlMs, maxConcurrentCalls } = settings
  if (url === undefined) return memoryState({ sessionTtlMs, maxConcurrentCalls })
  const { redisState } = await import('./state/redis/state.ts')
  const sharesSecret = stateSecret === undefined
  return redisState({ url, prefix, log, sharesSecret, sessionTtlMs, maxConcurrentCalls })
}
