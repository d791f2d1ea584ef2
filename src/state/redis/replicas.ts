// Messages between replicas about sessions, over one channel.
import { isObject } from '../../protocol/messages.ts'
import type { ReplicaChannel, ReplicaMessage } from '../replicas.ts'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'

const SESSIONS_TOPIC = 'sessions'
// A record and no list, so that the compiler finds a kind that is missing.
const KINDS: Readonly<Record<ReplicaMessage['kind'], true>> = {
  answer: true,
  cancel: true,
  looked: true,
  changed: true,
  reads: true,
  ended: true,
}

export function createReplicaChannel(redis: RedisClient, pubsub: RedisPubSub): ReplicaChannel {
  const { replicaId } = redis
  return {
    backend: redis,
    publish: message => pubsub.publish(SESSIONS_TOPIC, { from: replicaId, word: message }),
    subscribe(listener) {
      pubsub.subscribe(SESSIONS_TOPIC, published => {
        if (!isObject(published)) return
        const { from, word: message } = published
        const isOwn = from === replicaId
        if (!isObject(message) || (isOwn && message['kind'] !== 'reads')) return
        if (!Object.hasOwn(KINDS, String(message['kind'])) || typeof message['session'] !== 'string') return
        listener(message as unknown as ReplicaMessage, isOwn)
      })
    },
  }
}
