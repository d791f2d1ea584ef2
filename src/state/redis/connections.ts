// Connections for a library that makes more of them from what it is given, and may open one again while it is closed.
import type { Redis, RedisOptions } from 'ioredis'
import type { RedisLink } from './link.ts'

export class Connections {
  readonly #link: RedisLink
  readonly #all: Redis[] = []
  #isClosed = false

  constructor(link: RedisLink) {
    this.#link = link
  }

  open(options: RedisOptions): Redis {
    return this.#keep(this.#link.duplicate(options))
  }

  /** For good: one that is opened later would try for ever, and hold up the end of the process. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#all) end(connection)
  }

  #keep(connection: Redis): Redis {
    const duplicate = connection.duplicate.bind(connection)
    connection.duplicate = options => {
      const another = duplicate(options)
      another.on('error', () => {})
      return this.#keep(another)
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
