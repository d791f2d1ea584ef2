// Messages between replicas about sessions, over one channel.
import { isObject } from 'toolrack/protocol'
import type { ReplicaChannel, ReplicaMessage } from 'toolrack/stores'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'

const SESSIONS_TOPIC = 'sessions'
// A record instead of a list, so that the compiler reports a missing kind.
const KINDS: Readonly<Record<ReplicaMessage['kind'], true>> = {
  answer: true,
  cancel: true,
  looked: true,
  changed: true,
  reads: true,
  ended: true,
}

export class RedisReplicas implements ReplicaChannel {
  readonly backend: RedisClient
  readonly #pubsub: RedisPubSub

  constructor(redis: RedisClient, pubsub: RedisPubSub) {
    this.backend = redis
    this.#pubsub = pubsub
  }

  publish(message: ReplicaMessage): void {
    this.#pubsub.publish(SESSIONS_TOPIC, { from: this.backend.replicaId, word: message })
  }

  subscribe(listener: (message: ReplicaMessage, isOwn: boolean) => void): void {
    this.#pubsub.subscribe(SESSIONS_TOPIC, published => {
      if (!isObject(published)) return
      const { from, word: message } = published
      const isOwn = from === this.backend.replicaId
      if (!isObject(message) || (isOwn && message['kind'] !== 'reads')) return
      if (!Object.hasOwn(KINDS, String(message['kind'])) || typeof message['session'] !== 'string') return
      listener(message as unknown as ReplicaMessage, isOwn)
    })
  }
}
