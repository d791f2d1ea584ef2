// The secret of all replicas: the first replica stores its own, and the others use it. If Redis was
// emptied, the first replica that asks stores the secret again, which all still have.
import { randomBytes } from 'node:crypto'
import type { SecretStore } from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import { ignoreWrongType } from './record.ts'

const BYTES = 32
const MIN_LENGTH = 32
const MAX_LENGTH = 1024
/** Interval at which each replica checks if Redis has lost or replaced the secret, ms. */
const AGREE_MS = 2000

export class RedisSecret implements SecretStore {
  readonly backend: RedisClient
  readonly #key: string
  #secret = randomBytes(BYTES).toString('base64url')
  #isShared = false
  #agreeing: NodeJS.Timeout | undefined
  #listener: (secret: string) => void = () => {}

  constructor(redis: RedisClient) {
    this.backend = redis
    this.#key = redis.key('state-secret')
    // Agrees before anything is sealed with a secret that the other replicas do not know.
    redis.onStart(({ hasStateSecret }) => (hasStateSecret ? undefined : this.agree()))
    redis.onClose(() => clearInterval(this.#agreeing))
  }

  follow(listener: (secret: string) => void): void {
    this.#listener = listener
    this.backend.onRecovered(() => void this.agree())
    this.#agreeing = setInterval(() => void this.agree(), AGREE_MS).unref()
    if (this.#isShared) listener(this.#secret)
    else void this.agree()
  }

  /** Stores the secret of this replica if Redis has none, else takes that of Redis. */
  async agree(): Promise<void> {
    try {
      const setting = this.backend.run(client => client.set(this.#key, this.#secret, 'NX', 'GET'))
      const kept = await ignoreWrongType(setting)
      if (kept === null) this.#adopt(this.#secret)
      else if (kept !== undefined && isSecret(kept)) this.#adopt(kept)
      // The secret is damaged. If replicas repair it together, the last one wins, and all see that
      // next time.
      else await this.backend.run(client => client.set(this.#key, this.#secret))
    } catch {
      // Redis does not answer. Tries again when it does.
    }
  }

  #adopt(secret: string): void {
    const isNew = !this.#isShared || secret !== this.#secret
    this.#isShared = true
    this.#secret = secret
    if (isNew) this.#listener(secret)
  }
}

const isSecret = (text: string) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH
