// The broker is ready once its state answers and the provider's metadata have been read.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { toReason } from 'toolrack/text'
import type { Upstream } from './sign-in/upstream.ts'
import type { Store } from './state/store.ts'

/** A caller waits a few seconds at most, but reading the metadata may take longer. */
const MAX_WAIT_MS = 2000

/** Logs each reason once, because strangers can ask as often as they like. */
export function createReadiness(store: Store, upstream: Upstream, log: FastifyBaseLogger): () => Promise<boolean> {
  let lastReason: string | undefined
  return async () => {
    try {
      await Promise.all([store.ping(), Promise.race([upstream.discover(), refuseLater()])])
      lastReason = undefined
      return true
    } catch (err) {
      const reason = toReason(err)
      if (reason !== lastReason) log.warn({ err }, 'not ready')
      lastReason = reason
      return false
    }
  }
}

async function refuseLater(): Promise<never> {
  await sleep(MAX_WAIT_MS, undefined, { ref: false })
  throw new Error('the provider has not answered yet')
}
