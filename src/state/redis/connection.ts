// How a connection to Redis is opened, left and opened again.
import type { RedisOptions } from 'ioredis'

const CONNECT_MS = 2000
/** How long the other end may take to say goodbye. */
const DISCONNECT_MS = 100
const MAX_RETRY_MS = 1000

export const connectionOptions = (): RedisOptions => ({
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: DISCONNECT_MS,
  keepAlive: 5000,
  retryStrategy: times => Math.min(MAX_RETRY_MS, 50 * times),
  reconnectOnError: reconnectIfReadOnly(),
})

// The connection is to a server that has become a replica: another may have its name now. Many commands of one connection
// learn that at once.
export function reconnectIfReadOnly(): (error: Error) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    if (!message.startsWith('READONLY') || performance.now() - lastMs < MAX_RETRY_MS) return false
    lastMs = performance.now()
    return true
  }
}
