// Tells sessions their news, each message on one stream: the newest that somebody reads, on whichever replica that is.
import type { Caller } from '../exchange.ts'
import type { Change } from '../registry/changes.ts'
import { Handover, toldOf } from './handover.ts'
import type { LiveSession, NewsStream } from './live-session.ts'
import type { LiveParts } from './live-sessions.ts'
import { takeNews } from './news.ts'

/** How long a replica where nobody reads any more knows what was told, ms. */
const LINGER_MS = 1000

export type TellerParts = Pick<LiveParts, 'changes' | 'peers' | 'mayRead'> & {
  /** Keeps what its client was told. */
  keep(live: LiveSession): void
  /** Lets go of what is idle. */
  settle(live: LiveSession): void
}

export class NewsTeller {
  readonly #parts: TellerParts
  /** Streams whose reader lags: it is told when it has caught up. */
  readonly #lagging = new WeakSet<NewsStream>()

  constructor(parts: TellerParts) {
    this.#parts = parts
  }

  /** What has not been told yet. */
  tell(live: LiveSession): void {
    const { session } = live
    const reader = live.handover === undefined ? this.#readerOf(live) : undefined
    if (reader === undefined) return
    const { changes, mayRead } = this.#parts
    const news = takeNews(session, changes.versions, uri => mayRead(reader.caller, uri))
    if (news.length > 0) this.#send(reader, news)
  }

  /** One message, where somebody reads it now. */
  say(live: LiveSession, json: (reader: Caller | undefined) => string | undefined): void {
    const reader = this.#readerOf(live)
    const said = reader && json(reader.caller)
    if (said !== undefined) this.#send(reader!, [said])
  }

  hear(live: LiveSession, change: Change): void {
    // It may have begun to watch just before.
    if (live.reloading !== undefined) return void live.reloading.then(() => this.hear(live, change))
    if (change.kind === 'updated') live.note(change.uri)
    if (live.listening.length > 0) this.tell(live)
  }

  /** Its reader has caught up. */
  goOn(live: LiveSession, stream: NewsStream): void {
    this.#lagging.delete(stream)
    this.tell(live)
  }

  /** From now on news is told here: the others say what was told. */
  readHere(live: LiveSession): void {
    const { peers } = this.#parts
    live.isReadElsewhere = false
    live.lingers = false
    if (!live.isTeller && live.handover === undefined && peers.answerMs > 0) {
      live.handover = new Handover(live.session)
      setTimeout(() => this.#endHandover(live), peers.answerMs).unref()
    }
    peers.say({ kind: 'reads', session: live.session.id })
  }

  readElsewhere(live: LiveSession): void {
    this.#parts.peers.say(toldOf(live.session, live.isTeller))
    live.isTeller = false
    live.isReadElsewhere = true
  }

  /** The other replica has no reader any more. */
  takeOver(live: LiveSession): void {
    if (live.reader === undefined) return
    this.readHere(live)
    this.tell(live)
  }

  /** Nobody reads here any more. */
  leave(live: LiveSession): void {
    if (live.isReadElsewhere) return
    this.#endHandover(live)
    const { peers, keep } = this.#parts
    keep(live)
    peers.say({ kind: 'left', session: live.session.id })
    if (peers.answerMs > 0) this.#linger(live)
  }

  #readerOf(live: LiveSession): NewsStream | undefined {
    const { reader } = live
    return reader === undefined || live.isReadElsewhere || this.#lagging.has(reader) ? undefined : reader
  }

  #send(reader: NewsStream, jsons: readonly string[]): void {
    if (!reader.sendAll(jsons)) this.#lagging.add(reader)
  }

  #endHandover(live: LiveSession): void {
    const { handover } = live
    if (handover === undefined) return
    live.handover = undefined
    handover.settle()
    live.isTeller = !live.isReadElsewhere
    this.tell(live)
  }

  // What it knows may be asked for yet.
  #linger(live: LiveSession): void {
    live.lingers = true
    setTimeout(() => {
      live.lingers = false
      this.#parts.settle(live)
    }, LINGER_MS).unref()
  }
}
