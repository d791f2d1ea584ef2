// What replicas tell each other of sessions, over one channel.
import { isObject } from '../../protocol/messages.ts'
import type { ReplicaChannel, ReplicaMessage } from '../replicas.ts'
import type { RedisClient } from './client.ts'
import type { RedisPubSub } from './pubsub.ts'

const SESSIONS_TOPIC = 'sessions'
const MESSAGE_KINDS: ReadonlySet<unknown> = new Set<ReplicaMessage['kind']>([
  'answer',
  'cancel',
  'changed',
  'reads',
  'ended',
])

export function createReplicaChannel(redis: RedisClient, pubsub: RedisPubSub): ReplicaChannel {
  const { name: replicaId } = redis
  return {
    publish: word => pubsub.publish(SESSIONS_TOPIC, { from: replicaId, word }),
    subscribe(listener) {
      pubsub.subscribe(SESSIONS_TOPIC, message => {
        const word = isObject(message) ? message['word'] : undefined
        if (!isObject(message) || !isObject(word)) return
        const isOwn = message['from'] === replicaId
        if (isOwn && word['kind'] !== 'reads') return
        if (!MESSAGE_KINDS.has(word['kind']) || typeof word['session'] !== 'string') return
        listener(word as unknown as ReplicaMessage, isOwn)
      })
    },
  }
}
