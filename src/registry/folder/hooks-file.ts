// `_hooks.ts` of a tools folder, which exports rules for all tools, prompts or resources. A rule may
// be all that protects the tools: without it nothing is served, and it stays until a newer one loads.
import type { Log } from '../../request/exchange.ts'
import type { Catalog } from '../catalog.ts'
import type { FolderHooks, ToolHooks } from '../hooks.ts'
import { describeFailure, type FailurePlace, type FileFailure, logFailure } from './failures.ts'
import type { FileServerParts } from './file-server.ts'
import { createFileServer } from './file-server.ts'
import { FileVersion } from './file-version.ts'
import type { FoundHooks } from './found-hooks.ts'
import { explainHang, loadInTurn } from './load.ts'
import type { LoadGuard } from './load-guard.ts'
import { createToolModule, importModule } from './modules.ts'
import type { Openings } from './openings.ts'
import { readHooks } from './rules.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface HooksFileOptions extends Pick<FileServerParts, 'sources' | 'fileLog'> {
  readonly root: ToolRoot
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  readonly openings: Openings
  readonly guard: LoadGuard
  /** How long the file may take to load, ms. */
  readonly loadLimitMs: number
  /** Gets the hooks. */
  readonly hooks: FolderHooks
  readonly catalog: Catalog
  readonly log: Log
  /** Where the error of the file may be instead. */
  getPlace(): FailurePlace
  /** Whether any folder of the server serves something: the hooks hold for all of them. */
  isAnyServed(): boolean
  /** Rules are others since something is served. */
  onChanged(fields: { readonly hooks: string }): void
  /** Hooks that took long have ended: has `take` called when no other load is under way. */
  onLate(take: () => Promise<boolean>): void
}

export interface LoadRulesOptions {
  /** Whether rules are given up if their file is gone; else they stay, since a slip would open the tools. */
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
  /** Of what is loaded, or of hooks without which nothing was served yet: that it goes away may be a slip. */
  #file: string | undefined
  /** The load of the current file, once nothing waits for it any more. */
  #late: Loaded | undefined
  #failure: FileFailure | undefined
  #isTold: Promise<void> = Promise.resolve()

  constructor(options: HooksFileOptions) {
    this.#options = options
  }

  /** Why nothing is served: hooks may be what protects the tools, and they have never loaded. */
  get fault(): string | undefined {
    return this.#loaded === undefined ? this.#problem : undefined
  }

  /** Why newer hooks than those that hold could not be loaded. */
  get newerFault(): string | undefined {
    return this.#loaded === undefined ? undefined : this.#problem
  }

  get failures(): readonly FileFailure[] {
    return this.#failure === undefined ? [] : [this.#failure]
  }

  /** Whether the next change of any file may mend them. */
  get isToBeTriedAgain(): boolean {
    return this.fault !== undefined && this.#late === undefined
  }

  /** Resolves once the hooks have ended loading, or have taken longer than they may. */
  get settled(): Promise<void> {
    return this.#isTold
  }

  /**
   * Loads the hooks in place of the earlier ones, which stay if that fails, and until it has ended.
   *
   * @param found undefined if there is none
   */
  async load(found: FoundHooks | undefined, generation: number, { dropsRules = false }: LoadRulesOptions = {}) {
    this.#late?.version.retire()
    this.#late = undefined
    if (found === undefined && this.#file !== undefined && !dropsRules) return this.#fail(this.#file, new Error(GONE))
    if (found === undefined) return this.#put(undefined)
    if (!found.isMisplaced && !this.#options.isAnyServed()) this.#file = found.file
    // What they would say of tools is not known: tasks of tools that are not served stay hidden.
    if (this.#loaded === undefined) this.#options.hooks.set(undefined)
    if (found.fault !== undefined) return this.#fail(found.file, new Error(found.fault))
    const loaded = this.#create(found.file)
    await loadInTurn([() => this.#start(loaded, generation)], this.#options.loadLimitMs)
    if (loaded.version.isUnderWay) this.#goOn(loaded)
    else await this.#take(loaded)
  }

  get #problem(): string | undefined {
    if (this.#failure !== undefined) return `${this.#failure.file}: ${this.#failure.reason}`
    return this.#late && `${fileName(this.#late.version.file)}: it has not loaded yet`
  }

  #create(file: string): Loaded {
    const { openings, catalog, sources, log, fileLog } = this.#options
    const isCurrent = () => !version.isRetired
    const version = new FileVersion(file, openings, () =>
      createFileServer({ file, catalog, sources, log, fileLog, isCurrent }),
    )
    return { version }
  }

  #start(loaded: Loaded, generation: number): Promise<void> {
    const { root, roots, guard } = this.#options
    const { version } = loaded
    const module = createToolModule(root.path, version.file, { own: generation, helpers: generation, roots })
    return version.load(() =>
      guard.load(fileName(version.file), async () => {
        const exported = await importModule(module)
        version.adopt(exported)
        loaded.hooks = version.trackHooks(readHooks(exported))
        await version.setUp()
      }),
    )
  }

  /** Takes the hooks when they have loaded after all, unless there are newer ones. */
  #goOn(loaded: Loaded): void {
    const { log, openings, loadLimitMs, onLate } = this.#options
    const { version } = loaded
    this.#late = loaded
    this.#failure = undefined
    log.warn({ file: fileName(version.file) }, `hooks not loaded yet; ${this.#describeConsequence()}`)
    void version.ended.then(() => onLate(async () => this.#late === loaded && (await this.#take(loaded))))
    this.#isTold = explainHang(version, loadLimitMs).then(async reason => {
      if (reason !== undefined && this.#late === loaded && !openings.isShutDown)
        await this.#fail(version.file, new Error(reason))
    })
  }

  /** @returns whether it has loaded */
  async #take(loaded: Loaded): Promise<boolean> {
    const { version } = loaded
    this.#late = undefined
    if (version.phase !== 'failed') {
      this.#put(loaded)
      return true
    }
    version.retire()
    await this.#fail(version.file, version.thrown)
    return false
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

  async #fail(file: string, thrown: unknown): Promise<void> {
    const { log, guard, getPlace } = this.#options
    this.#failure = await describeFailure(file, thrown, getPlace(), guard)
    logFailure(log, this.#failure, `hooks not loaded; ${this.#describeConsequence()}`)
  }

  #describeConsequence(): string {
    if (this.#loaded !== undefined) return 'the earlier ones stay'
    const isServed = this.#options.isAnyServed()
    return isServed ? 'the folder stays as it is until they are' : 'the folder is not served until they are'
  }
}
