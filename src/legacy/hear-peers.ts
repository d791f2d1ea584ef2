// What the other replicas say of sessions that are at work here.
import type { Peers } from '../state/peers.ts'
import type { LiveSession } from './live-session.ts'
import type { NewsTeller } from './news-teller.ts'

export interface PeerHearer {
  readonly news: NewsTeller
  at(id: string): LiveSession | undefined
  /** It has ended. */
  drop(id: string): void
  /** What is kept of it has changed. */
  reload(live: LiveSession): void
}

export function hearPeers(peers: Peers, { news, at, drop, reload }: PeerHearer): void {
  peers.onWord((word, isOwn) => {
    const live = at(word.session)
    if (live === undefined) return
    switch (word.kind) {
      case 'answer':
        live.asked.get(String(word.response.id))?.(word.response)
        break
      case 'cancel':
        live.running.get(word.requestId)?.cancel('cancelled')
        break
      case 'stop':
        live.stop()
        break
      case 'ended':
        drop(word.session)
        break
      case 'changed':
        reload(live)
        break
      case 'reads':
        if (isOwn) live.isReadElsewhere = false
        else news.readElsewhere(live)
        break
      case 'told':
        live.handover?.hear(word)
        break
      case 'left':
        news.takeOver(live)
    }
  })
}
