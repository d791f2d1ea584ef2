// The interface of kept files: large results of tools, which their caller reads as resources.
import type { MaybePromise } from '../request/maybe-promise.ts'
import type { Store } from './store.ts'

/** How long a file is kept, ms. */
export const FILE_TTL_MS = 60 * 60 * 1000

/**
 * How much is kept of files; for each caller and in all.
 * Bytes. Past `maxOfOwner` and `maxTotal` the oldest files go.
 */
export const FILE_BOUNDS = {
  maxFile: 16 * 1024 * 1024,
  maxOfOwner: 32 * 1024 * 1024,
  maxTotal: 64 * 1024 * 1024,
}

/** A file that a tool has returned. */
export interface KeptFile {
  /** Who may read it; undefined: whoever knows its id. */
  readonly owner: string | undefined
  readonly name: string
  readonly mimeType: string
  /** Nobody changes them any more: a store may keep them without a copy. */
  readonly bytes: Uint8Array
}

/** Keeps large files of results. */
export interface FileStore extends Store {
  /**
   * @param ownerKey whose share the file counts against
   * @returns false if newer files took its room while it was written
   */
  put(id: string, ownerKey: string, file: KeptFile): MaybePromise<boolean>
  /** Returns undefined if it is unknown or has expired. */
  find(id: string): MaybePromise<KeptFile | undefined>
}
