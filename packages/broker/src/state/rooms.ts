// Bounds the data that strangers can create. Each kind has a total, and each address a share of the
// free room. Shares shrink while the total fills. So the address with the most is refused first,
// newcomers find room, and no entry is evicted.
import { errors } from 'oidc-provider'
import { toBlocks } from './address-blocks.ts'
import type { Room, Share, Store } from './store.ts'

const HOUR_S = 60 * 60
/** Shares of the free room: for one address, and for the two larger blocks that contain it. */
const SHARES: readonly number[] = [1 / 4, 1 / 2, 1]
/** Share of the free sign-ins: one user has fewer than 100, with all clients. */
const SHARE_OF_USER = 1 / 2500

/** Sizes in KiB. An entry counts at least one; a document counts as one. */
export const ROOMS = {
  /** Requests that wait for their users' answer. */
  Interaction: { max: 8192, ttlS: 600 },
  /** Sign-ins under way with the provider. */
  Attempt: { max: 8192, ttlS: 600 },
  /** Clients that nobody has signed in with. */
  Client: { max: 6000, ttlS: HOUR_S },
  /** Assertions that clients have signed themselves in with. */
  ReplayDetection: { max: 32_768, ttlS: 600 },
  /** Metadata documents to fetch. */
  Document: { max: 120, ttlS: 60 },
} as const satisfies Record<string, Room>

/** Sign-ins with a valid refresh token. */
const MAX_GRANTS = 250_000

export type RoomName = keyof typeof ROOMS
type RoomSizes = Readonly<Record<RoomName, Room>>

export const isRoomName = (kind: string): kind is RoomName => Object.hasOwn(ROOMS, kind)

const BYTES = 1024

export class Rooms {
  readonly #store: Store
  readonly #grants: Room
  readonly #rooms: RoomSizes
  readonly #onRefused: (kind: string) => void

  /**
   * @param signInS how long a sign-in lasts
   * @param onRefused called when a kind is full
   */
  constructor(store: Store, signInS: number, onRefused: (kind: string) => void, rooms: RoomSizes = ROOMS) {
    this.#store = store
    this.#onRefused = onRefused
    this.#grants = { max: MAX_GRANTS, ttlS: signInS }
    this.#rooms = rooms
  }

  /** @returns whether there was room for one more from this address */
  mayMake(kind: RoomName, address: string, bytes = 0): Promise<boolean> {
    const shares = toBlocks(address).map((name, at): Share => ({ name, of: SHARES[at]! }))
    return this.#reserve(kind, this.#rooms[kind], shares, Math.max(1, Math.ceil(bytes / BYTES)))
  }

  /** @param user the hash of its subject */
  mayGrant(user: string): Promise<boolean> {
    return this.#reserve('Grant', this.#grants, [{ name: user, of: SHARE_OF_USER }], 1)
  }

  async #reserve(kind: string, room: Room, shares: readonly Share[], size: number): Promise<boolean> {
    const isFree = await this.#store.reserve(kind, room, shares, size)
    if (!isFree) this.#onRefused(kind)
    return isFree
  }
}

/** "Cannot now": the same request may succeed later, and nothing was used up. */
export const busy = (why: string): Error =>
  Object.assign(new errors.TemporarilyUnavailable(why), { status: 503, statusCode: 503 })
