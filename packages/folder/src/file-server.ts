// Creates the server that the `setup` of one version of a file gets.
import type { Definition, ToolServer } from 'toolrack'
import {
  assertNoneRefused,
  type Built,
  buildSet,
  type Catalog,
  type CatalogEntry,
  getQualifiedKey,
  identify,
} from 'toolrack/definitions'
import type { Log } from 'toolrack/source'
import { fileName } from './tool-roots.ts'

export interface FileServerParts {
  readonly file: string
  readonly catalog: Pick<Catalog, 'find' | 'announceUpdate'>
  readonly log: Log
  /** Logs on behalf of a file. */
  readonly fileLog: FileLog
  /** Whether the version has not been replaced or removed. */
  isCurrent(): boolean
  /** Undefined for a file that cannot serve anything. */
  readonly entries?: FileEntries
}

/** The definitions that the version serves, or will serve once it is loaded. */
export interface FileEntries {
  list(): readonly Built[]
  /** @throws Error if it is invalid, or another file or source has the same */
  build(definition: Definition): Built
  /** Removes some definitions, and puts others. */
  change(removed: readonly Built[], put: readonly Built[]): void
  /** The name of the file with the entry. */
  findFileName(entry: CatalogEntry): string
}

/** @param file the name for logs */
export type FileLog = (file: string) => ToolServer['log']

const OVER = 'a replaced version of a tool file still changes its tools; export close to stop it'
const NO_TOOLS = 'rules serve nothing: a tool file adds and removes definitions'

export function createFileServer(parts: FileServerParts): ToolServer {
  const { file, catalog, log, fileLog, entries, isCurrent } = parts
  let isTold = false

  /**
   * The version may have waited for something when it was replaced, so it gets a warning, not an
   * error.
   */
  function isOver(method: keyof ToolServer): boolean {
    if (isCurrent()) return false
    if (!isTold) log.warn({ file: fileName(file), ignored: method }, OVER)
    isTold = true
    return true
  }

  function add(definitions: Definition | readonly Definition[]): void {
    if (isOver('add')) return
    if (entries === undefined) throw new Error(NO_TOOLS)
    const all = Array.isArray(definitions) ? definitions : [definitions as Definition]
    const { built, refused } = buildSet(all, definition => entries.build(definition))
    const replaced = entries.list().filter(({ entry }) => built.has(getQualifiedKey(entry)))
    entries.change(replaced, [...built.values()])
    assertNoneRefused(refused)
  }

  function remove(what: string | Definition): boolean {
    if (isOver('remove')) return false
    if (entries === undefined) throw new Error(NO_TOOLS)
    const { kind, key } = identify(what)
    const own = entries.list().find(({ entry }) => entry.kind === kind && entry.key === key)
    if (own !== undefined) entries.change([own], [])
    const other = own === undefined ? catalog.find(what) : undefined
    if (other !== undefined)
      throw new Error(`${kind} ${key} is defined in ${entries.findFileName(other)}, which alone can remove it`)
    return own !== undefined
  }

  function resourceUpdated(uri: string): void {
    if (!isOver('resourceUpdated')) catalog.announceUpdate(uri)
  }

  return Object.freeze({ log: fileLog(fileName(file)), add, remove, resourceUpdated })
}
