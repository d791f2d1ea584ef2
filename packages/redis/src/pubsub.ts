// Messages between replicas, over the publish/subscribe of Redis. Redis does not keep them: a
// replica that was disconnected learns that it may have missed some.
import type { Redis } from 'ioredis'
import { toReason } from 'toolrack/text'
import type { RedisClient } from './client.ts'

const HEARTBEAT_MS = 1000
/** Missing heartbeats in a row before the client reconnects, while Redis answers. */
const MAX_MISSED_HEARTBEATS = 3

type Listener = (message: unknown) => void

export class RedisPubSub {
  readonly #redis: RedisClient
  readonly #listeners = new Map<string, Listener>()
  readonly #resubscribeListeners: (() => void)[] = []
  #subscriber: Redis | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #missedHeartbeats = 0

  constructor(redis: RedisClient) {
    this.#redis = redis
    redis.onStart(() => this.#connect(redis))
    redis.onClose(() => this.#close())
  }

  #connect(redis: RedisClient): void {
    this.#subscriber = redis.duplicate({ enableOfflineQueue: false, autoResubscribe: false, maxRetriesPerRequest: 0 })
    this.#subscriber.on('ready', () => void this.#subscribe())
    this.#subscriber.on('message', (channel: string, text: string) => this.#receive(channel, text))
    this.#setListener('pulse', () => {})
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS).unref()
  }

  channel(topic: string): string {
    return this.#redis.key('bus', topic)
  }

  /** Publishes a message. It is lost if no replica listens or Redis does not answer. */
  publish(topic: string, message: unknown): void {
    this.#redis.run(client => client.publish(this.channel(topic), JSON.stringify(message))).catch(() => {})
  }

  /** Sets the listener of a topic; a topic has one. */
  subscribe(topic: string, listener: Listener): void {
    this.#setListener(topic, listener)
    if (this.#subscriber?.status === 'ready') void this.#subscribe()
  }

  /** Calls `listener` when messages arrive again after an interruption. */
  onResubscribed(listener: () => void): void {
    this.#resubscribeListeners.push(listener)
  }

  #close(): void {
    clearInterval(this.#heartbeat)
    this.#subscriber?.disconnect()
  }

  #setListener(topic: string, listener: Listener): void {
    this.#listeners.set(this.channel(topic), listener)
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#subscriber?.subscribe(...this.#listeners.keys())
      this.#missedHeartbeats = 0
      for (const listener of this.#resubscribeListeners) listener()
    } catch (error) {
      this.#redis.log.warn({ reason: toReason(error) }, 'redis: could not subscribe')
    }
  }

  #receive(channel: string, text: string): void {
    this.#missedHeartbeats = 0
    // Any process with access to Redis can publish, and a replica of another version may send a
    // message that is not understood here.
    try {
      this.#listeners.get(channel)?.(JSON.parse(text))
    } catch (error) {
      this.#redis.log.warn({ channel, reason: toReason(error).slice(0, 200) }, 'redis: a message was not understood')
    }
  }

  // Each replica receives its own heartbeat too, and so notices a dead connection. It counts
  // heartbeats, not time: a suspended process has not yet read the messages sent meanwhile.
  #sendHeartbeat(): void {
    this.#missedHeartbeats++
    if (!this.#redis.isUp) return
    this.publish('pulse', 0)
    if (this.#missedHeartbeats <= MAX_MISSED_HEARTBEATS) return
    this.#missedHeartbeats = 0
    this.#subscriber?.disconnect(true)
  }
}
