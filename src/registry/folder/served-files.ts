// Which file of a tools folder serves which entries: what it has claimed while it loads, what it
// leaves to another file that has the same, and what an earlier folder has taken from it.
import { sep } from 'node:path'
import type { Catalog, CatalogEntry } from '../catalog.ts'
import type { FileContent } from './definitions.ts'
import type { EntrySources } from './entry-sources.ts'
import type { FileVersion } from './file-version.ts'
import type { FileLoad } from './load.ts'
import { isSameEntry } from './reload-log.ts'
import type { FolderContents } from './scan.ts'
import { fileName } from './tool-roots.ts'

interface ServedFile {
  /** Hash of the file as read; undefined if it must be loaded again even if unchanged. */
  readonly hash: string | undefined
  /** What it serves: of its newest version, and of earlier ones what newer ones fail to define. */
  readonly served: readonly ReplacedFile[]
  /** The load of the current file, while it is under way. */
  readonly load?: FileLoad<FileContent>
  /** What the load will serve, once the file is read: no other file can have the same. */
  readonly claimed?: readonly CatalogEntry[]
  /** What it cannot serve, since another file has the same. */
  readonly duplicates?: readonly CatalogEntry[]
}

/** What a version of a file serves, or served before it was replaced or removed. */
export interface ReplacedFile {
  readonly entries: readonly CatalogEntry[]
  /** Undefined if the version goes on to serve other entries. */
  readonly version?: FileVersion
}

export interface VersionEntries {
  readonly entries: readonly CatalogEntry[]
  /** If not, its load is under way. */
  readonly isServed: boolean
}

export interface ServedFilesOptions {
  readonly catalog: Pick<Catalog, 'findHolder' | 'isFallback'>
  /** Of all folders. */
  readonly sources: EntrySources
  /** The file of an earlier folder that defines the same. */
  findEarlierOwner(entry: CatalogEntry): string | undefined
}

export class ServedFiles {
  readonly #options: ServedFilesOptions
  readonly #files = new Map<string, ServedFile>()

  constructor(options: ServedFilesOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#files.size === 0
  }

  /** Files whose load has not ended. */
  get loading(): readonly string[] {
    const loading = [...this.#files].filter(([, { load }]) => load !== undefined && load.result === undefined)
    return loading.map(([file]) => file)
  }

  /** Whether a file may serve what it could not before, or may no longer serve what it does. */
  get areToBeSettled(): boolean {
    return this.#hasFreedDuplicates() || this.#hasOusted()
  }

  /** Whether the load is of the current version of the file. */
  isCurrent(load: FileLoad<FileContent>): boolean {
    return this.#files.get(load.file)?.load === load
  }

  /** Whether the file serves something, of this or an earlier version. */
  hasEarlier(file: string): boolean {
    return this.#findEntries(file).length > 0
  }

  /** The name of the file that serves the same, or will once it has loaded. */
  findOwner(entry: CatalogEntry, except?: string): string | undefined {
    for (const [file, { claimed = this.#findEntries(file) }] of this.#files) {
      if (file !== except && claimed.some(isSameEntry(entry))) return fileName(file)
    }
    return undefined
  }

  /** What else defines the same: another file, of this or an earlier folder, or the program. */
  findOtherOwner(entry: CatalogEntry, file: string): string | undefined {
    const { catalog, sources, findEarlierOwner } = this.#options
    const owner = this.findOwner(entry, file) ?? findEarlierOwner(entry)
    if (owner !== undefined) return owner
    const present = catalog.findHolder(entry)
    const isFree = present === undefined || sources.has(present) || catalog.isFallback(present)
    return isFree ? undefined : 'the program'
  }

  /** Of the entries, those that an earlier folder has begun to define, with its file. */
  findOusted(entries: readonly CatalogEntry[]): ReadonlyMap<CatalogEntry, string> {
    const ousted = new Map<CatalogEntry, string>()
    for (const entry of entries) {
      const owner = this.#options.findEarlierOwner(entry)
      if (owner !== undefined) ousted.set(entry, owner)
    }
    return ousted
  }

  /** Those to be loaded, with their hashes. */
  findChanged({ tools }: FolderContents): readonly [file: string, hash: string][] {
    return [...tools].filter(([file, hash]) => {
      const served = this.#files.get(file)
      return served?.hash !== hash || this.#isOusted(file)
    })
  }

  /** Forgets removed files. @returns what they had served */
  removeMissing({ tools, skipped }: FolderContents): readonly ReplacedFile[] {
    const unread = [...skipped].filter(([, { isThere }]) => isThere).map(([path]) => path)
    const isUnread = (file: string) => unread.some(path => file === path || file.startsWith(path + sep))
    const missing = [...this.#files].filter(([file]) => !tools.has(file) && !isUnread(file))
    for (const [file, { load }] of missing) {
      this.#files.delete(file)
      load?.version.retire()
    }
    return missing.flatMap(([, { served }]) => served)
  }

  /** Has every file loaded again, also those that cannot be read now, once they can. */
  forgetHashes(): void {
    for (const [file, { served, load }] of this.#files) {
      load?.version.retire()
      if (served.length === 0) this.#files.delete(file)
      else this.#files.set(file, { hash: undefined, served })
    }
  }

  /** Replaces an earlier load. The file keeps serving what it has until this one has ended. */
  begin(load: FileLoad<FileContent>, hash: string): void {
    const { served = [], load: earlier } = this.#files.get(load.file) ?? {}
    earlier?.version.retire()
    this.#files.set(load.file, { hash, served, load })
  }

  /** Records what the file will serve once its load has ended: no other file can have the same. */
  claim(file: string, claimed: readonly CatalogEntry[]): void {
    this.#files.set(file, { ...this.#files.get(file)!, claimed })
  }

  /**
   * What the newest version of a file serves, or will once its load has ended.
   *
   * @returns undefined if the version is another one
   */
  findOfVersion(file: string, version: FileVersion): VersionEntries | undefined {
    const { load, claimed, served: [newest] = [] } = this.#files.get(file) ?? {}
    if (version.isRetired) return undefined
    if (load?.version === version && claimed !== undefined) return { entries: claimed, isServed: false }
    return newest?.version === version ? { entries: newest.entries, isServed: true } : undefined
  }

  /** Changes what `findOfVersion` has found. */
  setOfVersion(file: string, { isServed }: VersionEntries, entries: readonly CatalogEntry[]): void {
    const known = this.#files.get(file)!
    const [newest, ...earlier] = known.served
    this.#files.set(
      file,
      isServed ? { ...known, served: [{ ...newest, entries }, ...earlier] } : { ...known, claimed: entries },
    )
  }

  /** What the load will serve: its `setup` may have changed what it has read. */
  findClaimed({ file }: FileLoad<FileContent>): readonly CatalogEntry[] | undefined {
    return this.#files.get(file)?.claimed
  }

  /** Ends the current load, which has failed. The file keeps serving what it has. */
  keepEarlier(load: FileLoad<FileContent>): ReplacedFile {
    const { served } = this.#files.get(load.file)!
    // It is loaded again when any file changes: it may have lacked another one.
    this.#files.set(load.file, { hash: undefined, served })
    return { entries: [], version: load.version }
  }

  /** What the file served before and does not define any more; nothing else defines it now. */
  findKept(file: string, entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
    return this.#findEntries(file).filter(
      each => !entries.some(isSameEntry(each)) && this.findOtherOwner(each, file) === undefined,
    )
  }

  /**
   * Ends the current load, and serves what it has read. If a definition was refused, what the file
   * served before and does not define any more stays: it may be that one.
   *
   * @returns what is not served any more
   */
  replace({ file, version }: FileLoad<FileContent>, content: FileContent): readonly ReplacedFile[] {
    const { hash, served } = this.#files.get(file)!
    const { entries, isWhole, hasRefused, duplicates } = content
    const kept = new Set(hasRefused ? this.findKept(file, entries) : [])
    const split = (isKept: boolean) =>
      served.map(each => ({ ...each, entries: each.entries.filter(entry => kept.has(entry) === isKept) }))
    const stays = split(true).filter(each => each.entries.length > 0)
    const isUsed = entries.length > 0 || stays.length === 0
    this.#files.set(file, {
      hash: isWhole ? hash : undefined,
      served: [...(isUsed ? [{ entries, version }] : []), ...stays],
      duplicates,
    })
    // The version of what stays is still open.
    const isOpen = (each: ReplacedFile) => stays.some(other => other.version === each.version)
    return [
      ...(isUsed ? [] : [{ entries: [], version }]),
      ...split(false).map(each => (isOpen(each) ? { entries: each.entries } : each)),
    ]
  }

  #findEntries(file: string): readonly CatalogEntry[] {
    return (this.#files.get(file)?.served ?? []).flatMap(({ entries }) => entries)
  }

  #hasFreedDuplicates(): boolean {
    return [...this.#files].some(([file, { duplicates = [] }]) =>
      duplicates.some(entry => this.findOtherOwner(entry, file) === undefined),
    )
  }

  #hasOusted(): boolean {
    return [...this.#files.keys()].some(file => this.#isOusted(file))
  }

  /** Whether an earlier folder has begun to define the same. */
  #isOusted(file: string): boolean {
    return this.#findEntries(file).some(entry => this.#options.findEarlierOwner(entry) !== undefined)
  }
}
