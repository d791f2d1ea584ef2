// What may be used once, whichever replica sees it first.
import type { Spent } from '../spent.ts'
import type { RedisLink } from './link.ts'

export function redisSpent(link: RedisLink): Spent {
  return {
    async spend(id, expiresAtMs) {
      const ttlMs = Math.max(1, Math.ceil(expiresAtMs - Date.now()))
      return (await link.run(client => client.set(link.key('spent', id), '1', 'PX', ttlMs, 'NX'))) === 'OK'
    },
  }
}
