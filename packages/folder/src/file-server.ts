// Makes what the `setup` of one version of a file gets of the server.
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
  /** Whether the version is neither replaced nor removed. */
  isCurrent(): boolean
  /** Undefined of a file that cannot serve anything. */
  readonly entries?: FileEntries
}

/** What the version serves, or will once it is loaded. */
export interface FileEntries {
  list(): readonly Built[]
  /** @throws Error if it is invalid, or something else defines the same */
  build(definition: Definition): Built
  /** Takes some away, and puts others. */
  change(removed: readonly Built[], put: readonly Built[]): void
  /** The name of the file that has an entry. */
  findFileName(entry: CatalogEntry): string
}

/** @param file the name for logs */
export type FileLog = (file: string) => ToolServer['log']

const OVER = 'a version of a tool file that is over still changes what is served; export close that stops it'
const NO_TOOLS = 'rules serve nothing: a tool file adds and removes definitions'

export function createFileServer(parts: FileServerParts): ToolServer {
  const { file, catalog, log, fileLog, entries, isCurrent } = parts
  let isTold = false

  /** It may have waited for something when it was replaced, so that is no error. */
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
