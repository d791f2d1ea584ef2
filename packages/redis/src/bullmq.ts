// Two helpers around BullMQ: the leases of the jobs that this replica runs, and the connections
// that the library opens.
import type { Redis, RedisOptions } from 'ioredis'
import type { RedisClient } from './client.ts'

interface Lease {
  readonly lost: AbortController
  readonly timer: NodeJS.Timeout
}

/** Tracks the leases of this replica. Another replica may take a job whose lease has expired. */
export class Leases {
  readonly #ms: number
  readonly #held = new Map<string, Lease>()

  /** @param ms TTL of a lease, shorter than in Redis: a run must stop before the next starts */
  constructor(ms: number) {
    this.#ms = ms
  }

  /** @returns a signal that aborts when the lease is lost */
  take(id: string): AbortSignal {
    const lost = new AbortController()
    this.#held.set(id, { lost, timer: setTimeout(() => lost.abort(), this.#ms).unref() })
    return lost.signal
  }

  renew(ids: readonly string[]): void {
    for (const id of ids) this.#held.get(id)?.timer.refresh()
  }

  lose(ids: readonly string[]): void {
    for (const id of ids) this.#held.get(id)?.lost.abort()
  }

  leave(id: string): void {
    clearTimeout(this.#held.get(id)?.timer)
    this.#held.delete(id)
  }
}

/** All connections of BullMQ. It duplicates connections, and may reconnect one that is being closed. */
export class Connections {
  readonly #redis: RedisClient
  readonly #all: Redis[] = []
  #isClosed = false

  constructor(redis: RedisClient) {
    this.#redis = redis
  }

  open(options: RedisOptions): Redis {
    return this.#keep(this.#redis.duplicate(options))
  }

  /**
   * Closes them for good. A connection that is opened later would retry forever and keep the process
   * alive.
   */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#all) end(connection)
  }

  #keep(connection: Redis): Redis {
    const duplicate = connection.duplicate.bind(connection)
    connection.duplicate = options => {
      const another = duplicate(options)
      another.on('error', () => {})
      return this.#keep(this.#redis.track(another))
    }
    if (this.#isClosed) end(connection)
    else this.#all.push(connection)
    return connection
  }
}

function end(connection: Redis): void {
  connection.connect = () => Promise.reject(new Error('the server is closed'))
  connection.disconnect()
}
