// The used tokens of all replicas: a key per token, which expires with it.
import type { UsedTokens } from 'toolrack/stores'
import type { RedisClient } from './client.ts'

export class RedisUsedTokens implements UsedTokens {
  readonly backend: RedisClient

  constructor(redis: RedisClient) {
    this.backend = redis
  }

  async consumeOnce(id: string, expiresAtMs: number): Promise<boolean> {
    const ttlMs = Math.max(1, Math.ceil(expiresAtMs - Date.now()))
    return (await this.backend.run(client => client.set(this.#getKey(id), '1', 'PX', ttlMs, 'NX'))) === 'OK'
  }

  async release(id: string): Promise<void> {
    await this.backend.run(client => client.del(this.#getKey(id)))
  }

  #getKey(id: string): string {
    return this.backend.key('spent', id)
  }
}
