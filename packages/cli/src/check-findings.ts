// Turns the failures and the log of loading a folder into findings with file, line and column.
import { existsSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import type { Catalog, CatalogEntry } from 'toolrack/definitions'
import type { FileFailure, FolderSource } from 'toolrack/folder'
import { toOneLine } from 'toolrack/text'

export interface Finding {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface FoundEntry {
  readonly kind: CatalogEntry['kind']
  /** The URI for a resource. */
  readonly name: string
  readonly file: string
  /** Missing requirements. The tool is not served until they are met. */
  readonly lacks: readonly string[]
  /** Whether TOOLS_INCLUDE or TOOLS_EXCLUDE excludes it. */
  readonly isLeftOut: boolean
}

/** A line of the log, of level `warn` or above. */
export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly file?: string
  readonly line?: number
  readonly at?: string | undefined
  readonly tool?: string
  readonly glob?: string
  readonly reason?: string
  readonly err?: { readonly message?: string }
}

interface Place {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The name of the definition at this place. */
  readonly name?: string | undefined
}

interface Locator {
  /** The path from the working directory. */
  toPath(file: string): string
  find(place: Place, message: string): Finding
}

/** @param toolsDir the place of findings without a file */
export function createLocator(toolsDir: string, folders: Pick<FolderSource, 'findFilePath'>): Locator {
  // Names of a folder outside of the working directory are not relative paths.
  const toPath = (file: string) => {
    const path = existsSync(file) ? undefined : folders.findFilePath(file)
    return path !== undefined && existsSync(path) ? relative(process.cwd(), path) : file
  }
  return {
    toPath,
    find({ file, line, column, name }, text) {
      const path = file === undefined ? toolsDir : toPath(file)
      const named = line === undefined && name !== undefined ? findName(path, name) : undefined
      return { file: path, line: line ?? 1, column: column ?? 1, ...named, message: toOneLine(text) }
    },
  }
}

/** The place of a definition's name in its file; undefined if code makes the name. */
function findName(path: string, name: string): Pick<Finding, 'line' | 'column'> | undefined {
  const lines = readLines(path)
  const quoted = [`'${name}'`, `"${name}"`, `\`${name}\``]
  for (const [index, text] of lines.entries()) {
    const column = Math.max(...quoted.map(each => text.indexOf(each)))
    if (column !== -1) return { line: index + 1, column: column + 1 }
  }
  return undefined
}

/** @returns an empty list if the file cannot be read */
function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

export function collectEntries(catalog: Catalog, folders: FolderSource, { toPath }: Locator): FoundEntry[] {
  const { tools, resources, templates, prompts, disabled } = catalog
  const served = [tools, resources, templates, prompts].flatMap(each => each.all() as readonly CatalogEntry[])
  const toEntry = (entry: CatalogEntry, lacks?: readonly string[]): FoundEntry => ({
    kind: entry.kind,
    name: entry.key,
    file: toPath(folders.findFileName(entry)),
    lacks: lacks ?? [],
    isLeftOut: lacks?.length === 0,
  })
  return [...served.map(entry => toEntry(entry)), ...disabled.map(({ entry, missing }) => toEntry(entry, missing))]
}

/** The level `warn` of pino. */
const WARN = 40

export function collectErrors(
  { failures: latest }: Pick<FolderSource, 'failures'>,
  lines: readonly LogLine[],
  { find }: Locator,
): Finding[] {
  const isTold = ({ file, reason }: LogLine) => latest.some(each => each.file === file && each.reason === reason)
  const failures = latest.map(({ definition, ...failure }) =>
    find({ ...failure, name: definition }, describeFailure(failure)),
  )
  // Lines that only the log has, such as a rejection of the top level of a file.
  const others = lines
    .filter(line => line.level > WARN && !isTold(line))
    .map(line => {
      const place = readPlace(line)
      return find({ ...line, ...place }, describeLine(place === undefined ? line : { ...line, at: undefined }))
    })
  return [...failures, ...others]
}

export const collectWarnings = (lines: readonly LogLine[], { find }: Locator): Finding[] =>
  lines
    .filter(({ level }) => level === WARN)
    .map(line => find({ file: line.file, line: line.line, name: line.tool }, describeLine(line)))

/** The place of an error that a file has caused, if it is in the file itself. */
function readPlace({ file, at }: LogLine): Pick<Finding, 'line' | 'column'> | undefined {
  const [, name, line, column] = /^(.+):(\d+):(\d+)$/.exec(at ?? '') ?? []
  return file !== undefined && basename(file) === name ? { line: Number(line), column: Number(column) } : undefined
}

const describeFailure = ({ reason, at }: Pick<FileFailure, 'reason' | 'at'>) =>
  at === undefined ? reason : `${reason} (at ${at})`

function describeLine({ msg, tool, glob, reason, err, at }: LogLine): string {
  const subject = tool ?? glob
  const fault = reason ?? (err?.message === undefined ? msg : `${msg}: ${err.message}`)
  return `${subject === undefined ? '' : `${subject}: `}${describeFailure({ reason: fault, at })}`
}
