// Counts how often each list has changed on any replica. By comparing the counts, a replica
// finds the changes whose notification it missed.
import { isObject } from '../protocol/messages.ts'
import type { ListVersions } from './sessions.ts'
import type { Store } from './store.ts'

/** The lists whose changes are counted. */
export type ListName = keyof ListVersions

/** A change on another replica: of the lists, or of one resource. */
export type RemoteChange =
  | { readonly kind: 'versions'; readonly versions: ListVersions }
  | { readonly kind: 'updated'; readonly uri: string }

/** Tells replicas that lists and resources have changed. */
export interface SharedVersions extends Store {
  /** True if no other process shares the counts. So the counts of a former process mean nothing. */
  readonly isLocal?: boolean
  /** Counts a change made here. Replicas that cannot be reached learn of it later. */
  publishListChange(list: ListName): void
  /** Announces a change of a resource here. */
  publishResourceUpdate(uri: string): void
  /**
   * Calls `listener` with each change on another replica.
   *
   * @param versions returns the versions known here, own changes included
   */
  subscribe(versions: () => ListVersions, listener: (change: RemoteChange) => void): void
}

/** Versions of lists that no other process shares. */
export const localVersions: SharedVersions = Object.freeze({
  isLocal: true,
  publishListChange: () => {},
  publishResourceUpdate: () => {},
  subscribe: () => {},
})

/**
 * The largest counter of a list.
 * No list changes this often. Above this bound, a double no longer grows by adding one.
 */
export const MAX_VERSION = 2 ** 52

/** Reads versions that another process wrote; a damaged counter counts as 0. */
export function parseListVersions(value: unknown): ListVersions {
  const read = (list: ListName) => {
    const count: unknown = isObject(value) ? value[list] : undefined
    return Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MAX_VERSION
      ? (count as number)
      : 0
  }
  return { tools: read('tools'), prompts: read('prompts'), resources: read('resources') }
}
