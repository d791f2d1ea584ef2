// The options of a connection to Redis, when to reconnect, and the timeout of a reply.
import type { RedisOptions } from 'ioredis'

const CONNECT_MS = 2000
/** How long the other end may take to close, ms. */
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

// READONLY means that the server has become a replica and that another may have its name now.
// Many commands of one connection fail with it at once, so one reconnect per second is enough.
export function reconnectIfReadOnly(): (error: Error) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    if (!message.startsWith('READONLY') || performance.now() - lastMs < MAX_RETRY_MS) return false
    lastMs = performance.now()
    return true
  }
}

/** The last part of a timeout, ms. */
const LAST_MS = 50

export class LateAnswer extends Error {
  override name = 'LateAnswer'
}

// Rejects if there is no answer in time. A process that was busy for long has commands that it has
// not sent and answers that it has not read. So the last part of the timeout is a timer of its own,
// which starts when the first has fired.
export function within<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateAnswer(`no answer within ${limitMs} ms`))
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, LAST_MS)
    }, limitMs - LAST_MS)
    answer.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
