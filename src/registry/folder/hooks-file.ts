// `_hooks.ts` of a tools folder, which exports rules for all tools, prompts or resources. A rule may be all that
// protects the tools, so a slip in a name is refused, not ignored.
import { basename } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import type { Catalog } from '../catalog.ts'
import { type Around, type FolderHooks, RULE_NAMES, type ToolHooks } from '../hooks.ts'
import type { EntrySources } from './entry-sources.ts'
import type { FolderFailures } from './failures.ts'
import { createFileServer, type FileLog } from './file-server.ts'
import { FileVersion } from './file-version.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { FileLoad, FileLoader } from './load.ts'
import type { MisplacedRules } from './misplaced-rules.ts'
import { createToolModule } from './modules.ts'
import { readHooks } from './rules.ts'
import type { FolderContents } from './scan.ts'
import { fileName, type ToolRoot } from './tool-roots.ts'

export interface FoundHooks {
  readonly file: string
  /** Why it cannot be loaded. */
  readonly fault?: string
  /** It holds for nothing where it is: that it goes away is the fix. */
  readonly isMisplaced?: true
}

/**
 * @param files that are named as they should be
 * @param misplaced rules that may be meant for all tools, and hold for none
 * @returns undefined if the folder has no hooks
 */
export function findHooksFile(
  { skipped }: Pick<FolderContents, 'skipped'>,
  files: readonly string[],
  misplaced: MisplacedRules | undefined,
): FoundHooks | undefined {
  if (misplaced !== undefined) return { file: misplaced.file, fault: misplaced.reason, isMisplaced: true }
  const [file, ...others] = files
  if (file === undefined) return undefined
  const also = others.map(each => basename(each)).join(', ')
  const fault = also === '' ? skipped.get(file)?.reason : `there is also ${also}; keep one of them`
  return fault === undefined ? { file } : { file, fault }
}

export interface HooksFileOptions {
  readonly root: string
  /** All folders of the server. */
  readonly roots: readonly ToolRoot[]
  readonly loader: FileLoader
  readonly lifecycle: Lifecycle
  readonly failures: Pick<FolderFailures, 'addHooks'>
  /** Gets the hooks. */
  readonly hooks: FolderHooks
  readonly catalog: Catalog
  readonly sources: EntrySources
  readonly fileLog: FileLog
  readonly log: Log
  /** Whether any folder of the server serves something: the hooks hold for all of them. */
  isFolderServed(): boolean
  /** Rules are others since something is served. */
  onChanged(fields: { readonly hooks: string }): void
  /** Hooks that took long have ended: has `take` called when no other load is under way. */
  onLate(take: () => Promise<boolean>): void
}

export interface LoadRulesOptions {
  /** Whether rules are given up if their file is gone; else they stay, since a slip would open the tools. */
  readonly dropsRules?: boolean
}

const GONE = 'it is gone; write it again, or restart without it, or call app.toolrack.reload({ dropRules: true })'

export class HooksFile {
  readonly #options: HooksFileOptions
  #version: FileVersion | undefined
  /** Of the version, or of hooks without which nothing was served yet: that it goes away may be a slip. */
  #file: string | undefined
  /** The load of the current file, once the folder does not wait for it any more. */
  #late: FileLoad<ToolHooks> | undefined
  #fault: string | undefined
  #isTold: Promise<void> = Promise.resolve()

  constructor(options: HooksFileOptions) {
    this.#options = options
  }

  /** Why the folder is not served: hooks may be what protects its tools, and they have never loaded. */
  get fault(): string | undefined {
    return this.#version === undefined ? this.#fault : undefined
  }

  /** Why newer hooks than those that hold could not be loaded. */
  get newerFault(): string | undefined {
    return this.#version === undefined ? undefined : this.#fault
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
    if (!found.isMisplaced && !this.#options.isFolderServed()) this.#file = found.file
    // What they would say of tools is not known: tasks of tools that are not served stay hidden.
    if (this.#version === undefined) this.#options.hooks.set(undefined)
    if (found.fault !== undefined) return this.#fail(found.file, new Error(found.fault))
    const load = await this.#begin(found.file, generation)
    if (load.result === undefined) this.#goOn(load)
    else await this.#take(load)
  }

  async #begin(file: string, generation: number): Promise<FileLoad<ToolHooks>> {
    const { root, roots, loader, lifecycle } = this.#options
    const module = createToolModule(root, file, { own: generation, helpers: generation, roots })
    const { catalog, sources, log, fileLog } = this.#options
    const createServer = (each: FileVersion) =>
      createFileServer({ file, catalog, sources, log, fileLog, isCurrent: () => !each.isRetired })
    const version = new FileVersion(file, lifecycle, createServer)
    const [load] = await loader.load([
      { file, module, version, begin: () => {}, read: readHooks, isUsedHere: () => true },
    ])
    return load!
  }

  /** Takes the hooks when they have loaded after all, unless there are newer ones. */
  #goOn(load: FileLoad<ToolHooks>): void {
    const { log, loader, lifecycle, onLate } = this.#options
    const file = fileName(load.file)
    this.#late = load
    this.#fault = `${file}: it has not loaded yet`
    log.warn({ file }, `hooks not loaded yet; ${this.#describeConsequence()}`)
    void load.ended.then(() => onLate(async () => this.#late === load && (await this.#take(load))))
    this.#isTold = loader.explainHang(load).then(async reason => {
      if (reason !== undefined && this.#late === load && !lifecycle.isClosed)
        await this.#fail(load.file, new Error(reason))
    })
  }

  /** @returns whether it has loaded */
  async #take({ file, version, result }: FileLoad<ToolHooks>): Promise<boolean> {
    this.#late = undefined
    if (result!.isLoaded) {
      this.#put({ file, version, hooks: track(result!.content, version) })
      return true
    }
    version.retire()
    await this.#fail(file, result!.thrown)
    return false
  }

  #put(loaded: { file: string; version: FileVersion; hooks: ToolHooks } | undefined): void {
    const { root, hooks, catalog, log } = this.#options
    const changed = hooks.set(loaded?.hooks ?? {})
    this.#version?.retire()
    if (loaded !== undefined)
      log.info({ file: fileName(loaded.file), hooks: Object.keys(loaded.hooks) }, 'hooks loaded')
    else if (this.#version !== undefined) log.warn({ folder: root }, 'hooks removed')
    if (this.#options.isFolderServed() && loaded !== this.#version)
      this.#options.onChanged({ hooks: loaded === undefined ? 'removed' : fileName(loaded.file) })
    this.#version = loaded?.version
    this.#file = loaded?.file
    this.#fault = undefined
    for (const kind of changed) catalog.announce(kind)
  }

  async #fail(file: string, thrown: unknown): Promise<void> {
    this.#fault = await this.#options.failures.addHooks(file, thrown, this.#describeConsequence())
  }

  #describeConsequence(): string {
    if (this.#version !== undefined) return 'the earlier ones stay'
    const isServed = this.#options.isFolderServed()
    return isServed ? 'the folder stays as it is until they are' : 'the folder is not served until they are'
  }
}

// Rules of who sees what cannot wait, so they need no tracking.
function track(hooks: ToolHooks, version: FileVersion): ToolHooks {
  if (version.opensNothing) return hooks
  const around = Object.values(RULE_NAMES).map(names => names.around)
  const given = around.map(name => [name, hooks[name] as Around | undefined] as const)
  const tracked = given.map(([name, hook]) => [name, hook && version.trackFunction(hook)] as const)
  return { ...hooks, ...Object.fromEntries(tracked.filter(([, hook]) => hook !== undefined)) }
}
