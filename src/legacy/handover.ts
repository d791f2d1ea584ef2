// What the client of a session was told goes with its news, when they go from one replica to another: so that nothing is
// told twice, and nothing is missed.
import { isObject } from '../protocol/messages.ts'
import type { ListVersions, Session } from '../session.ts'
import type { PeerWord } from '../state/peers.ts'

export type Told = Extract<PeerWord, { kind: 'told' }>

/** Gives away what is known of it here. @param isTeller whether this is where its client was told last */
export function toldOf(session: Session, isTeller: boolean): Told {
  return { kind: 'told', session: session.id, seen: session.seen, waiting: takeWaiting(session), isTeller }
}

/** From the question to the others until their answers are in. */
export class Handover {
  readonly #session: Session
  readonly #own: readonly string[]
  readonly #answers: Told[] = []

  constructor(session: Session) {
    this.#session = session
    this.#own = takeWaiting(session)
  }

  hear(told: Told): void {
    if (Array.isArray(told.waiting) && isObject(told.seen)) this.#answers.push(told)
  }

  /** Who told last knows; where that replica is gone, all that the others know counts. */
  settle(): void {
    const answers = this.#answers
    const teller = answers.find(({ isTeller }) => isTeller)
    const waiting = teller?.waiting ?? [...this.#own, ...answers.flatMap(each => each.waiting)]
    const { subscriptions } = this.#session
    for (const uri of waiting) if (subscriptions?.has(uri)) subscriptions.set(uri, true)
    for (const { seen } of answers) this.#session.seen = newest(this.#session.seen, seen)
  }
}

/** The versions only grow. */
export const newest = (one: ListVersions, other: ListVersions): ListVersions => ({
  tools: Math.max(one.tools, other.tools),
  prompts: Math.max(one.prompts, other.prompts),
  resources: Math.max(one.resources, other.resources),
})

function takeWaiting({ subscriptions = new Map() }: Session): string[] {
  const waiting = [...subscriptions].filter(([, isWaiting]) => isWaiting).map(([uri]) => uri)
  for (const uri of waiting) subscriptions.set(uri, false)
  return waiting
}
