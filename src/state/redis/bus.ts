// What replicas say to each other. Nothing is kept: who was not listening is told that it may have missed something.
import type { Redis } from 'ioredis'
import type { Log } from '../../exchange.ts'
import type { RedisLink } from './link.ts'

const PULSE_MS = 1000
/** Beats in a row after which a connection that brought none of them is made anew, once Redis answers. */
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

  /** Lost where nobody hears it, or Redis does not answer. */
  say(topic: string, message: unknown): void {
    this.#link.run(client => client.publish(this.channel(topic), JSON.stringify(message))).catch(() => {})
  }

  /** One listener for each topic. */
  on(topic: string, listener: Listener): void {
    this.#on(topic, listener)
    if (this.#subscriber.status === 'ready') void this.#subscribe()
  }

  /** Called when it hears again after a time in which it did not. */
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
    // Whoever can write there can say anything, and a replica of another version what is not understood here.
    try {
      this.#listeners.get(channel)?.(JSON.parse(text))
    } catch (error) {
      this.#log.warn({ channel, reason: (error as Error).message.slice(0, 200) }, 'redis: a message was not understood')
    }
  }

  // Each replica hears its own pulse too, so that a connection which is dead without a word is noticed. Pulses are counted,
  // not time: a process that stood still has not read yet what it was told meanwhile.
  #beat(): void {
    this.#unheard++
    if (!this.#link.isUp) return
    this.say('pulse', 0)
    if (this.#unheard <= MAX_UNHEARD) return
    this.#unheard = 0
    this.#subscriber.disconnect(true)
  }
}
