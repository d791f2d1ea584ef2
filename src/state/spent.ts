// What may be used once: ids that were spent, for as long as they would still be valid.

export interface Spent {
  /** True the first time, false ever after. @param expiresAtMs Unix time in ms, after which the id may be forgotten */
  spend(id: string, expiresAtMs: number): boolean | Promise<boolean>
}
