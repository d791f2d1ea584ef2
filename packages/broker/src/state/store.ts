// The interface of the broker's state. Its entries expire: clients, running requests, grants and
// refresh tokens. It is in the memory of one process, or in Redis.

/** The total of one kind. Each entry has expired `ttlS` after it was created. */
export interface Room {
  readonly max: number
  readonly ttlS: number
}

/** A group that shares a room, such as a block of addresses. */
export interface Share {
  readonly name: string
  /** Its maximum share of the free room. */
  readonly of: number
}

export interface Store {
  /** @param kind the bound of memory applies per kind */
  set(kind: string, id: string, value: object, ttlS: number): Promise<void>
  get(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Gets and removes: if several take at once, one gets it. */
  take(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Sets it unless it exists. @returns whether it was new */
  add(kind: string, id: string, value: object, ttlS: number): Promise<boolean>
  /** Sets it if it exists. @returns whether it existed */
  replace(kind: string, id: string, value: object, ttlS: number): Promise<boolean>
  /** Takes `size` of a room if each share allows it. @returns whether it did */
  reserve(kind: string, room: Room, shares: readonly Share[], size: number): Promise<boolean>
  delete(kind: string, id: string): Promise<void>
  /** @throws Error if the store cannot be reached */
  ping(): Promise<void>
  close(): Promise<void>
}
