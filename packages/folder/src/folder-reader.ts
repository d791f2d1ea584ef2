// The contents of one tools folder at its last read, or why it is unreadable. Logs what to do about
// a folder that is missing or has no tools.
import { basename, join, relative } from 'node:path'
import type { Log } from 'toolrack/source'
import { ToldReasons } from './failures.ts'
import { findMisplacedRules, HOOKS_FILE, type MisplacedRules } from './file-texts/misplaced-rules.ts'
import type { ImportedFiles } from './file-texts/static-imports.ts'
import { findUnserved } from './file-texts/unserved-files.ts'
import { type FolderContents, MAX_FILES, readFolder, shortReason } from './scan.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'
import type { FolderWatch } from './watch.ts'

/** Maximum number of entries that the log of one load names; the rest are counted. */
const MAX_LOGGED_ENTRIES = 100

/** The file of a folder with rules for all tools. */
export interface FoundHooks {
  readonly file: string
  /** Why it cannot be loaded. */
  readonly fault?: string
  /** It has no effect where it is, so the fix is to remove it there. */
  readonly isMisplaced?: true
}

export interface FolderError {
  /** The name of the folder, as in the log. */
  readonly folder: string
  readonly reason: string
  readonly isMissing: boolean
  /** If true, its earlier definitions are still served. */
  readonly wasRead: boolean
}

export interface FolderReaderOptions {
  readonly log: Log
  /** Variables whose names are searched for in files. */
  readonly variables: readonly string[]
  /** If true, does not log a folder without tools, since the server serves the samples. */
  readonly mayBeEmpty: boolean
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  readonly watch: FolderWatch | undefined
}

export class FolderReader {
  readonly #root: ToolRoot
  readonly #options: FolderReaderOptions
  readonly #log: Log
  readonly #unreadable = new ToldReasons()
  #contents: FolderContents | undefined
  #foundHooks: FoundHooks | undefined
  #helpersHash = ''
  #error: FolderError | undefined
  #wasRead = false
  #isEmpty = false
  /** Files that seemed to be tool files, but exported rules alone when they ran. */
  readonly #ranAsRules = new Map<string, { readonly hash: string; readonly rules: readonly string[] }>()
  #wasWarned = false
  readonly #unserved = new ToldReasons()

  constructor(root: ToolRoot, options: FolderReaderOptions) {
    this.#root = root
    this.#options = options
    this.#log = options.log
  }

  /** The contents; undefined if the folder is unreadable now. */
  get contents(): FolderContents | undefined {
    return this.#contents
  }

  /** Its hooks at the last successful read; undefined if it had none. */
  get foundHooks(): FoundHooks | undefined {
    return this.#foundHooks
  }

  /** Its files with hooks, also unreadable ones. There should be only one. */
  get hooksFiles(): readonly string[] {
    const { helpers = [], skipped = new Map() } = this.#contents ?? {}
    return [...helpers, ...skipped.keys()].filter(file => HOOKS_FILE.test(relative(this.#root.path, file)))
  }

  /** One hash of all files that its tools and hooks may import. */
  get helpersHash(): string {
    // The error may come and go although the readable files stay the same.
    return `${this.#helpersHash} ${this.#foundHooks?.fault ?? ''}`
  }

  /** Why the last read failed; undefined if it succeeded. */
  get error(): FolderError | undefined {
    return this.#error
  }

  /** Whether a read has ever succeeded. */
  get wasRead(): boolean {
    return this.#wasRead
  }

  /** Whether it contains no tool file. */
  get isEmpty(): boolean {
    return this.#isEmpty
  }

  /** Entries that are never read, on one line. */
  get problems(): readonly string[] {
    return this.#contents?.isCut ? [`tools folder ${this.#root.name}: only the first ${MAX_FILES} files are read`] : []
  }

  read(): FolderContents | undefined {
    try {
      const { variables, watch } = this.#options
      this.#contents = readFolder(this.#root.path, { words: variables, watch })
      this.#onRead(this.#contents)
    } catch (error) {
      this.#contents = undefined
      this.#onUnreadable(error)
    }
    return this.#contents
  }

  #onRead(contents: FolderContents): void {
    this.#error = undefined
    this.#wasRead = true
    if (contents.isCut) this.#log.warn({ folder: this.#root.path }, `only the first ${MAX_FILES} files are read`)
    this.#helpersHash = contents.helpersHash
    this.#isEmpty = contents.tools.size === 0
  }

  /** @returns whether it was unknown that this version of a tool file exports rules alone */
  noteRules(file: string, rules: readonly string[]): boolean {
    const hash = this.#contents?.tools.get(file)
    const isNews = hash !== undefined && this.#ranAsRules.get(file)?.hash !== hash
    if (isNews) this.#ranAsRules.set(file, { hash, rules })
    return isNews
  }

  /**
   * Finds the hooks. Withholds the tools that misplaced rules may be meant for. Call it after `read`.
   *
   * @param findImported finds the files that files of all folders import, by their texts
   */
  placeRules(findImported: () => ImportedFiles): void {
    const contents = this.#contents
    if (contents === undefined) return
    const root = this.#root.path
    const ranAsRules = [...this.#ranAsRules].filter(([file, { hash }]) => contents.tools.get(file) === hash)
    const proven = new Map(ranAsRules.map(([file, { rules }]) => [file, rules]))
    const misplaced = findMisplacedRules(new Map([...contents.ruleFiles, ...proven]), {
      root,
      proven: [...proven.keys()],
      toolFiles: [...contents.tools.keys()],
      hasHooks: this.hooksFiles.length > 0,
      findImported,
    })
    const forAll = misplaced.find(({ toolFile }) => toolFile === undefined)
    this.#foundHooks = this.#findHooks(contents, forAll)
    this.#contents = withoutTools(contents, misplaced)
    this.#logUnreadable(this.#contents)
    const { mayBeEmpty, roots } = this.#options
    // The folder may be there for its hooks, which hold for the tools of other folders.
    const isMeantEmpty = mayBeEmpty || (roots.length > 1 && this.#foundHooks !== undefined)
    this.#warnOf(this.#isEmpty && !isMeantEmpty ? 'the folder has no file of a tool' : undefined)
  }

  /** Logs once which files define tools without effect. Call it after a load. */
  warnOfUnserved(findImported: () => ImportedFiles): void {
    const { tools, definers } = this.#contents ?? { tools: new Map<string, string>(), definers: [] }
    const unserved = findUnserved({ root: this.#root.path, toolFiles: [...tools.keys()], definers }, file =>
      findImported().all.has(file),
    )
    for (const [folder, reason] of this.#unserved.take(unserved))
      this.#log.warn({ file: fileName(folder), reason }, 'likely mistake in a tools folder')
  }

  /** @param misplaced rules that may be meant for all tools, but hold for none */
  #findHooks({ skipped }: FolderContents, misplaced: MisplacedRules | undefined): FoundHooks | undefined {
    if (misplaced !== undefined) return { file: misplaced.file, fault: misplaced.reason, isMisplaced: true }
    const [file, ...others] = this.hooksFiles
    if (file === undefined) return undefined
    const also = others.map(each => basename(each)).join(', ')
    const fault = also === '' ? skipped.get(file)?.reason : `there is also ${also}; keep one of them`
    return fault === undefined ? { file } : { file, fault }
  }

  #logUnreadable({ skipped }: FolderContents): void {
    const news = this.#unreadable.take(new Map([...skipped].map(([path, { reason }]) => [path, reason])))
    for (const [path, reason] of news.slice(0, MAX_LOGGED_ENTRIES))
      this.#log.error({ file: fileName(path), reason }, 'entry of the tools folder not read')
    const more = news.length - MAX_LOGGED_ENTRIES
    if (more > 0) this.#log.error({ more }, 'more entries of the tools folder are not read')
  }

  #onUnreadable(error: unknown): void {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const reason = shortReason(error)
    this.#error = { folder: this.#root.name, reason, isMissing, wasRead: this.#wasRead }
    this.#isEmpty ||= !this.#wasRead
    if (isMissing && !this.#wasRead) this.#warnOf('there is no such folder')
    else this.#log.error({ folder: this.#root.path, reason }, 'tools folder could not be read')
  }

  /** Logs once what to do about a folder that is missing or has no tools. */
  #warnOf(reason: string | undefined): void {
    if (reason !== undefined && !this.#wasWarned) {
      const example = `export default { name: 'hello', description: 'Says hello.', handler: () => 'Hello!' }`
      const file = fileName(join(this.#root.path, 'hello.ts'))
      const hint = `toolrack init makes a project with a first one; or create ${file} with: ${example}; or set TOOLS_DIR to where your tools are, or SAMPLES=true to serve those that ship`
      this.#log.warn({ folder: this.#root.path, reason, hint }, 'no tools')
    }
    this.#wasWarned = reason !== undefined
  }
}

/** Leaves out tool files that misplaced rules may be meant for. Their earlier definitions stay. */
function withoutTools(contents: FolderContents, misplaced: readonly MisplacedRules[]): FolderContents {
  const [tools, skipped] = [new Map(contents.tools), new Map(contents.skipped)]
  for (const { toolFile, reason } of misplaced) {
    if (toolFile === undefined) continue
    tools.delete(toolFile)
    skipped.set(toolFile, { reason, isThere: true })
  }
  return { ...contents, tools, skipped }
}

export const explainFolderError = ({ folder, reason, wasRead }: FolderError) =>
  `tools folder ${folder}: it cannot be read (${reason}); ${wasRead ? 'what it served before stays' : 'nothing of it is served'}`
