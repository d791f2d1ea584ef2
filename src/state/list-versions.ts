// How often each list has changed, on whichever replica. By it a replica notices what it was not told.
import { isObject } from '../protocol/messages.ts'
import type { ListVersions } from '../session.ts'

export type ListName = keyof ListVersions

/** What of it changed elsewhere, or was said of one resource. */
export type RemoteChange =
  | { readonly kind: 'versions'; readonly versions: ListVersions }
  | { readonly kind: 'updated'; readonly uri: string }

export interface SharedVersions {
  /** A list has changed here. What cannot be told now is told when it can. */
  changed(list: ListName): void
  /** A resource has changed here. */
  updated(uri: string): void
  /** Hears of changes elsewhere. @param versions what is known here, own changes included */
  follow(versions: () => ListVersions, listener: (change: RemoteChange) => void): void
}

export const ownVersions: SharedVersions = Object.freeze({ changed: () => {}, updated: () => {}, follow: () => {} })

/** No list changes so often; beyond, adding one would in the end change nothing. */
export const MAX_VERSION = 2 ** 52

/** What another process has written: a counter that is damaged is as if it were not there. */
export function readListVersions(value: unknown): ListVersions {
  const read = (list: ListName) => {
    const count: unknown = isObject(value) ? value[list] : undefined
    return Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MAX_VERSION
      ? (count as number)
      : 0
  }
  return { tools: read('tools'), prompts: read('prompts'), resources: read('resources') }
}
