// What replicas tell each other of sessions, over one channel.
import { isObject } from '../../protocol/messages.ts'
import type { ReplicaChannel, ReplicaMessage } from '../replicas.ts'
import type { RedisLink } from './client.ts'
import type { RedisBus } from './pubsub.ts'

const SESSIONS_TOPIC = 'sessions'
const MESSAGE_KINDS: ReadonlySet<unknown> = new Set<ReplicaMessage['kind']>([
  'answer',
  'cancel',
  'changed',
  'reads',
  'ended',
])

export function createReplicaChannel(redis: RedisLink, pubsub: RedisBus): ReplicaChannel {
  const { name: replicaId } = redis
  return {
    publish: word => pubsub.say(SESSIONS_TOPIC, { from: replicaId, word }),
    subscribe(listener) {
      pubsub.on(SESSIONS_TOPIC, message => {
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
