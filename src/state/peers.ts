// What replicas tell each other of sessions: a session's requests may reach any of them, and its streams are at one.
import type { JsonObject, JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { ListVersions } from '../session.ts'

export type PeerWord =
  /** Its client answered a question that is not asked here. */
  | { readonly kind: 'answer'; readonly session: string; readonly response: JsonRpcResponse }
  /** Its client cancelled a request that is not served here. */
  | { readonly kind: 'cancel'; readonly session: string; readonly requestId: RequestId }
  /** What is kept of it was changed. */
  | { readonly kind: 'changed'; readonly session: string }
  /** Its news is told here now. */
  | { readonly kind: 'reads'; readonly session: string }
  /** What its client was told, and of which resources it has still to be told: for who tells from now on. */
  | {
      readonly kind: 'told'
      readonly session: string
      readonly seen: ListVersions
      readonly waiting: readonly string[]
      /** It was told by who says this, and not just watched there. */
      readonly isTeller: boolean
    }
  /** Nobody reads its news here any more. */
  | { readonly kind: 'left'; readonly session: string }
  /** Its client has not come back: what it has under way stops. */
  | { readonly kind: 'stop'; readonly session: string }
  | { readonly kind: 'ended'; readonly session: string }

export interface Peers {
  /** Lost where it cannot be told. */
  say(word: PeerWord): void
  /** Hears the others. Of its own words only where news is told, since of two who say so at once the later is right. */
  onWord(listener: (word: PeerWord, isOwn: boolean) => void): void
  /** How long the others take to answer at most; 0 where there are none. */
  readonly answerMs: number
  /** What the others call this replica, in characters of base64url; '' where there are none. */
  readonly name: string
  /**
   * Hands something to one of them, which takes it once or not at all.
   *
   * @returns what that one answered; undefined where there is no such replica
   * @throws McpError STATE_UNAVAILABLE (503) where it cannot be reached, BUSY (503) where too much is on its way
   */
  hand(name: string, parcel: JsonObject): Promise<JsonObject | undefined>
  /** Who takes what is handed to this one, and answers. */
  onHanded(take: (parcel: JsonObject) => Promise<JsonObject>): void
}

export const noPeers: Peers = Object.freeze({
  say: () => {},
  onWord: () => {},
  answerMs: 0,
  name: '',
  hand: async () => undefined,
  onHanded: () => {},
})
