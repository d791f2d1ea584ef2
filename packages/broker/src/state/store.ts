// The interface of the broker's state, whose entries expire: clients, requests under way, grants and
// refresh tokens. Kept in the memory of one process, or in Redis.

/** A total of one kind. All of it has ended `ttlS` after it was made. */
export interface Room {
  readonly max: number
  readonly ttlS: number
}

/** A group that shares a room, such as a block of addresses. */
export interface Share {
  readonly name: string
  /** What it may have at most, as a part of what is free. */
  readonly of: number
}

export interface Store {
  /** @param kind a bound of memory holds for each kind */
  set(kind: string, id: string, value: object, ttlS: number): Promise<void>
  get(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Gets and forgets: of several who take at once, one gets it. */
  take(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Sets it unless it is there. @returns whether it was not there */
  add(kind: string, id: string, value: object, ttlS: number): Promise<boolean>
  /** Sets it if it is there. @returns whether it was there */
  replace(kind: string, id: string, value: object, ttlS: number): Promise<boolean>
  /** Takes `size` of a room, if each share allows it. @returns whether it did */
  reserve(kind: string, room: Room, shares: readonly Share[], size: number): Promise<boolean>
  delete(kind: string, id: string): Promise<void>
  /** @throws Error if it cannot be reached */
  ping(): Promise<void>
  close(): Promise<void>
}
