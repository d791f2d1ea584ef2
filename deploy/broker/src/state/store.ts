// The interface of the broker's state, whose entries expire: clients, requests under way, grants and
// refresh tokens. Kept in the memory of one process, or in Redis.

export interface Store {
  /** @param kind a bound of memory holds for each kind */
  set(kind: string, id: string, value: object, ttlS: number): Promise<void>
  get(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Gets and forgets: of several who take at once, one gets it. */
  take(kind: string, id: string): Promise<Record<string, unknown> | undefined>
  /** Sets it unless it is there. @returns whether it was not there */
  add(kind: string, id: string, ttlS: number): Promise<boolean>
  delete(kind: string, id: string): Promise<void>
  /** @throws Error if it cannot be reached */
  ping(): Promise<void>
  close(): Promise<void>
}
