// The secret that seals what clients bring back, where the operator sets none: made by whichever replica is first.
import { randomBytes } from 'node:crypto'
import type { RedisLink } from './link.ts'

const BYTES = 32
const MIN_LENGTH = 32

export interface SharedSecret {
  /** Resolves when it is known, or Redis did not answer. */
  look(): Promise<void>
  /** Calls `listener` as soon as it is known, and again where Redis has another one since. */
  follow(listener: (secret: string) => void): void
}

export function sharedSecret(link: RedisLink): SharedSecret {
  const key = link.key('state-secret')
  let known: string | undefined
  let tell: (secret: string) => void = () => {}

  // Each time: a Redis that has lost what it held is told the secret again, or has been told another.
  async function look(): Promise<void> {
    const own = known ?? randomBytes(BYTES).toString('base64url')
    try {
      await link.run(client => client.set(key, own, 'NX'))
      const secret = await link.run(client => client.get(key))
      if (secret === null || secret.length < MIN_LENGTH || secret === known) return
      known = secret
      tell(secret)
    } catch {
      // It is looked for when Redis answers again.
    }
  }

  return {
    look,
    follow(listener) {
      tell = listener
      link.onReturn(() => void look())
      if (known !== undefined) listener(known)
      else if (link.isUp) void look()
    },
  }
}
