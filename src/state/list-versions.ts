// How often each list has changed, on whichever replica. By it a replica notices what it was not told.
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
