// What replicas tell each other of sessions, over one channel.
import { isObject } from '../../protocol/messages.ts'
import { readListVersions } from '../list-versions.ts'
import type { Peers, PeerWord } from '../peers.ts'
import type { RedisBus } from './bus.ts'
import type { RedisLink } from './link.ts'
import { redisParcels } from './parcels.ts'

const TOPIC = 'sessions'
const ANSWER_MS = 100
const KINDS: ReadonlySet<unknown> = new Set<PeerWord['kind']>([
  'answer',
  'cancel',
  'changed',
  'reads',
  'told',
  'left',
  'ended',
  'stop',
])

export function redisPeers(link: RedisLink, bus: RedisBus): Peers {
  const { name: me } = link
  return {
    name: me,
    ...redisParcels(link, bus),
    say: word => bus.say(TOPIC, { from: me, word }),
    onWord(listener) {
      bus.on(TOPIC, message => {
        const word = isObject(message) ? message['word'] : undefined
        if (!isObject(message) || !isObject(word)) return
        const isOwn = message['from'] === me
        if (isOwn && word['kind'] !== 'reads') return
        if (!KINDS.has(word['kind']) || typeof word['session'] !== 'string') return
        const seen = word['kind'] === 'told' && { seen: readListVersions(word['seen']) }
        listener({ ...word, ...seen } as unknown as PeerWord, isOwn)
      })
    },
    answerMs: ANSWER_MS,
  }
}
