// `_hooks.ts` of a tools folder, which exports rules for all tools, prompts or resources. A rule may
// be the only protection of tools. So nothing is served without it, and it stays until a newer one
// loads.
import type { ToolHooks } from 'toolrack'
import type { Catalog, FolderHooks, LoadGuard } from 'toolrack/definitions'
import type { Log } from 'toolrack/source'
import { describeFailure, type FailurePlace, type FileFailure, logFailure } from './failures.ts'
import type { FileServerParts } from './file-server.ts'
import { createFileServer } from './file-server.ts'
import { FileVersion } from './file-version.ts'
import type { FoundHooks } from './folder-reader.ts'
import type { Loads } from './load.ts'
import { createToolModule, importModule } from './modules.ts'
import type { Openings } from './openings.ts'
import { readHooks } from './rules.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface HooksFileOptions extends Pick<FileServerParts, 'fileLog'> {
  readonly root: ToolRoot
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  readonly openings: Openings
  readonly loads: Loads
  readonly guard: LoadGuard
  /** Gets the hooks. */
  readonly hooks: FolderHooks
  readonly catalog: Catalog
  readonly log: Log
  /** Other places where the error of the file may be. */
  getPlace(): FailurePlace
  /** Whether any folder of the server serves something: the hooks hold for all folders. */
  isAnyServed(): boolean
  /** Called when rules have changed while something is served. */
  onChanged(fields: { readonly hooks: string }): void
  /** Called when slow hooks have loaded: runs `take` while no other load is under way. */
  onLate(take: () => Promise<boolean>): void
}

export interface LoadRulesOptions {
  /** Whether rules are dropped if their file is gone. Else they stay: a slip would open the tools. */
  readonly dropsRules?: boolean
}

interface Loaded {
  readonly version: FileVersion
  hooks?: ToolHooks
}

const GONE = 'it is gone; write it again, or restart without it, or call app.toolrack.reload({ dropRules: true })'

export class HooksFile {
  readonly #options: HooksFileOptions
  #loaded: Loaded | undefined
  /**
   * The file of the loaded hooks, or of hooks that have always been missing. If it disappears, that
   * may be a slip.
   */
  #file: string | undefined
  /** The load of the current file, until it has ended. */
  #newest: Loaded | undefined
  #failure: FileFailure | undefined

  constructor(options: HooksFileOptions) {
    this.#options = options
  }

  /**
   * Whether earlier hooks hold. If not, nothing is served: the hooks may be the protection of the
   * tools.
   */
  get haveLoaded(): boolean {
    return this.#loaded !== undefined
  }

  /** Why the hooks in the file do not hold. */
  get fault(): string | undefined {
    if (this.#failure !== undefined) return `${this.#failure.file}: ${this.#failure.reason}`
    return this.#newest && `${fileName(this.#newest.version.file)}: it has not loaded yet`
  }

  get failure(): FileFailure | undefined {
    return this.#failure
  }

  /** Whether the next change of any file may fix the hooks. */
  get isToBeTriedAgain(): boolean {
    return !this.haveLoaded && this.#failure !== undefined && this.#newest === undefined
  }

  /**
   * Loads the hooks. Earlier hooks stay until the load has ended, and also if it fails.
   *
   * @param found undefined if the folder has no hooks
   */
  async load(
    found: FoundHooks | undefined,
    generation: number,
    { dropsRules = false }: LoadRulesOptions = {},
  ): Promise<unknown> {
    this.#newest?.version.retire()
    this.#newest = undefined
    if (found === undefined && this.#file !== undefined && !dropsRules) return this.#fail(this.#file, new Error(GONE))
    if (found === undefined) return this.#put(undefined)
    if (!found.isMisplaced && !this.#options.isAnyServed()) this.#file = found.file
    // Their rules are unknown, so tasks of tools that are not served stay hidden.
    if (this.#loaded === undefined) this.#options.hooks.set(undefined)
    if (found.fault !== undefined) return this.#fail(found.file, new Error(found.fault))
    const { loads, log, onLate } = this.#options
    const loaded = this.#create(found.file)
    const { version } = loaded
    this.#newest = loaded
    this.#failure = undefined
    // Ignored if newer hooks are loading.
    const ifNewest = async (work: () => Promise<boolean>) => this.#newest === loaded && (await work())
    await loads.run([
      {
        version,
        work: () => this.#open(loaded, generation),
        onHang: reason => ifNewest(() => this.#fail(version.file, new Error(reason))),
        onLate: () => onLate(() => ifNewest(() => this.#take(loaded))),
      },
    ])
    if (!version.isUnderWay) await this.#take(loaded)
    else log.warn({ file: fileName(version.file) }, `hooks not loaded yet; ${this.#describeConsequence()}`)
  }

  #create(file: string): Loaded {
    const { openings, catalog, log, fileLog } = this.#options
    const isCurrent = () => !version.isRetired
    const version = new FileVersion(file, openings, () => createFileServer({ file, catalog, log, fileLog, isCurrent }))
    return { version }
  }

  async #open(loaded: Loaded, generation: number): Promise<void> {
    const { root, roots } = this.#options
    const { version } = loaded
    const module = createToolModule(root.path, version.file, { own: generation, helpers: generation, roots })
    const exported = await importModule(module)
    version.adopt(exported)
    loaded.hooks = version.trackHooks(readHooks(exported))
    await version.setUp()
  }

  /** @returns whether it has loaded */
  async #take(loaded: Loaded): Promise<boolean> {
    const { version } = loaded
    this.#newest = undefined
    if (version.phase !== 'failed') {
      this.#put(loaded)
      return true
    }
    version.retire()
    return this.#fail(version.file, version.thrown)
  }

  #put(loaded: Loaded | undefined): void {
    const { root, hooks, catalog, log, isAnyServed, onChanged } = this.#options
    const file = loaded && fileName(loaded.version.file)
    const changed = hooks.set(loaded?.hooks ?? {})
    this.#loaded?.version.retire()
    if (loaded !== undefined) log.info({ file, hooks: Object.keys(loaded.hooks!) }, 'hooks loaded')
    else if (this.#loaded !== undefined) log.warn({ folder: root.path }, 'hooks removed')
    if (isAnyServed() && loaded !== this.#loaded) onChanged({ hooks: file ?? 'removed' })
    this.#loaded = loaded
    this.#file = loaded?.version.file
    this.#failure = undefined
    for (const kind of changed) catalog.announce(kind)
  }

  /** @returns false, since the load failed */
  async #fail(file: string, thrown: unknown): Promise<false> {
    const { log, guard, getPlace } = this.#options
    this.#failure = await describeFailure(file, thrown, getPlace(), guard)
    logFailure(log, this.#failure, `hooks not loaded; ${this.#describeConsequence()}`)
    return false
  }

  #describeConsequence(): string {
    if (this.#loaded !== undefined) return 'the earlier ones stay'
    const isServed = this.#options.isAnyServed()
    return isServed ? 'the folder stays as it is until they are' : 'the folder is not served until they are'
  }
}
