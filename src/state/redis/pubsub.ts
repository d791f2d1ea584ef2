// Messages between replicas, over the publish/subscribe of Redis. Nothing is kept: a replica that
// was not connected learns that it may have missed something.
import type { Redis } from 'ioredis'
import type { Log } from '../../request/exchange.ts'
import type { RedisLink } from './client.ts'

const PULSE_MS = 1000
/** Heartbeats in a row that do not arrive before the client reconnects, while Redis answers. */
const MAX_UNHEARD = 3

type Listener = (message: unknown) => void

export class RedisBus {
  readonly #link: RedisLink
  readonly #log: Log
  readonly #subscriber: Redis
  readonly #listeners = new Map<string, Listener>()
  readonly #misses: (() => void)[] = []
  readonly #pulse: NodeJS.Timeout
  #unheard = 0

  constructor(link: RedisLink, log: Log) {
    this.#link = link
    this.#log = log
    this.#subscriber = link.duplicate({ enableOfflineQueue: false, autoResubscribe: false, maxRetriesPerRequest: 0 })
    this.#subscriber.on('ready', () => void this.#subscribe())
    this.#subscriber.on('message', (channel: string, text: string) => this.#hear(channel, text))
    this.#on('pulse', () => {})
    this.#pulse = setInterval(() => this.#beat(), PULSE_MS).unref()
  }

  channel(topic: string): string {
    return this.#link.key('bus', topic)
  }

  /** Publishes a message. It is lost if no replica listens or Redis does not answer. */
  say(topic: string, message: unknown): void {
    this.#link.run(client => client.publish(this.channel(topic), JSON.stringify(message))).catch(() => {})
  }

  /** Sets the listener of a topic; a topic has one. */
  on(topic: string, listener: Listener): void {
    this.#on(topic, listener)
    if (this.#subscriber.status === 'ready') void this.#subscribe()
  }

  /** Calls `listener` when messages arrive again after an interruption. */
  onMissed(listener: () => void): void {
    this.#misses.push(listener)
  }

  close(): void {
    clearInterval(this.#pulse)
    this.#subscriber.disconnect()
  }

  #on(topic: string, listener: Listener): void {
    this.#listeners.set(this.channel(topic), listener)
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#subscriber.subscribe(...this.#listeners.keys())
      this.#unheard = 0
      for (const listener of this.#misses) listener()
    } catch (error) {
      this.#log.warn({ reason: (error as Error).message }, 'redis: could not subscribe')
    }
  }

  #hear(channel: string, text: string): void {
    this.#unheard = 0
    // Any process with access to Redis can publish, and a replica of another version may send a
    // message that is not understood here.
    try {
      this.#listeners.get(channel)?.(JSON.parse(text))
    } catch (error) {
      this.#log.warn({ channel, reason: (error as Error).message.slice(0, 200) }, 'redis: a message was not understood')
    }
  }

  // Each replica receives its own heartbeat too, and so notices a dead connection. It counts
  // heartbeats, not time: a suspended process has not yet read the messages sent meanwhile.
  #beat(): void {
    this.#unheard++
    if (!this.#link.isUp) return
    this.say('pulse', 0)
    if (this.#unheard <= MAX_UNHEARD) return
    this.#unheard = 0
    this.#subscriber.disconnect(true)
  }
}
