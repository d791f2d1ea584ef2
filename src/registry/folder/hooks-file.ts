// `_hooks.ts` of a tools folder, which exports `onCall`, `visible` or both. A rule may be all that
// protects the tools, so a slip in a name is refused, not ignored.
import { relative } from 'node:path'
import type { Log } from '../../request/exchange.ts'
import { findNearestName } from '../field-names.ts'
import type { Hooks, ToolHooks } from '../hooks.ts'
import { FileVersion } from './file-version.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Exported, FileLoader } from './load.ts'
import { createToolModule, fileName } from './modules.ts'
import type { FolderContents } from './scan.ts'

const HOOKS_FILE = /^_hooks\.[cm]?[jt]s$/
/** Names that are likely meant as one. */
const LIKE_HOOKS_FILE = /^_+hooks?(?:[\\/]index)?\.[cm]?[jt]s$/i

export interface FoundHooks {
  readonly file: string
  /** Why it cannot be loaded. */
  readonly fault?: string
}

/** @returns undefined if the folder has no hooks */
export function findHooksFile(
  root: string,
  { helpers, skipped }: Pick<FolderContents, 'helpers' | 'skipped'>,
): FoundHooks | undefined {
  const paths = [...helpers, ...skipped.keys()]
  const nameIn = (file: string) => relative(root, file)
  const [file, ...others] = paths.filter(each => HOOKS_FILE.test(nameIn(each)))
  if (file === undefined) {
    const like = paths.find(each => LIKE_HOOKS_FILE.test(nameIn(each)))
    const fault = `hooks are read from _hooks.ts only; rename it to that, or, if it has no hooks, to another name`
    return like === undefined ? undefined : { file: like, fault }
  }
  if (others.length > 0) return { file, fault: `there is also ${others.map(nameIn).join(', ')}; keep one of them` }
  const unread = skipped.get(file)
  return unread === undefined ? { file } : { file, fault: unread.reason }
}

export interface HooksFileOptions {
  readonly root: string
  readonly loader: FileLoader
  readonly lifecycle: Lifecycle
  /** Gets the hooks. */
  readonly hooks: Pick<Hooks, 'setFolder'>
  readonly log: Log
}

export class HooksFile {
  readonly #options: HooksFileOptions
  #version: FileVersion | undefined

  constructor(options: HooksFileOptions) {
    this.#options = options
  }

  get isLoaded(): boolean {
    return this.#version !== undefined
  }

  /**
   * Loads the hooks in place of the earlier ones, which stay if this throws.
   *
   * @param found undefined if there is none
   * @returns whether tools may have become visible or hidden
   * @throws what the file throws; Error if what it exports is no hooks, or it hangs
   */
  async load(found: FoundHooks | undefined, generation: number): Promise<boolean> {
    const { root, hooks, log } = this.#options
    // What they would say of tools is not known: tasks of tools that are not served stay hidden.
    if (found !== undefined && !this.isLoaded) hooks.setFolder(undefined)
    if (found?.fault !== undefined) throw new Error(found.fault)
    const loaded = found && (await this.#read(found.file, generation))
    const isChanged = hooks.setFolder(loaded?.hooks ?? {})
    this.#version?.retire()
    if (loaded !== undefined)
      log.info({ file: fileName(found!.file), hooks: Object.keys(loaded.hooks) }, 'hooks loaded')
    else if (this.isLoaded) log.warn({ folder: root }, 'hooks removed')
    this.#version = loaded?.version
    return isChanged
  }

  async #read(file: string, generation: number): Promise<{ hooks: ToolHooks; version: FileVersion }> {
    const { root, loader, lifecycle } = this.#options
    const module = createToolModule(root, file, { own: generation, helpers: generation })
    const version = new FileVersion(file, lifecycle)
    const [load] = await loader.load([
      { file, module, version, begin: () => {}, read: readHooks, isUsedHere: () => true },
    ])
    try {
      const hang = await loader.explainHang(load!)
      if (hang !== undefined) throw new Error(hang)
      const result = load!.result!
      if (!result.isLoaded) throw result.thrown
      return { hooks: track(result.content, version), version }
    } catch (error) {
      version.retire()
      throw error
    }
  }
}

// `visible` cannot wait, so it needs no tracking.
function track(hooks: ToolHooks, version: FileVersion): ToolHooks {
  const { onCall } = hooks
  return onCall === undefined || version.opensNothing ? hooks : { ...hooks, onCall: version.trackFunction(onCall) }
}

const HOOKS = ['onCall', 'visible']
const EXPORTS = [...HOOKS, 'setup', 'close']

/** @throws Error if a rule is not where it counts, or is no function */
function readHooks(exported: Exported): ToolHooks {
  const { onCall, visible } = exported as ToolHooks
  for (const [name, hook] of Object.entries({ onCall, visible })) {
    if (hook !== undefined && typeof hook !== 'function') throw new Error(`${name} must be a function`)
  }
  if (exported.default !== undefined)
    throw new Error('has a default export, which is not read: write export const visible = …, or onCall')
  for (const [name, value] of Object.entries(exported)) {
    if (typeof value === 'function' && !EXPORTS.includes(name)) throw new Error(explainUnknown(name))
  }
  if (onCall === undefined && visible === undefined)
    throw new Error('exports no hook: export function onCall(call, next), or visible(tool, caller)')
  return { ...(onCall && { onCall }), ...(visible && { visible }) }
}

function explainUnknown(name: string): string {
  const nearest = findNearestName(name, EXPORTS)
  const fix = nearest === undefined ? 'put it into another file' : `did you mean ${nearest}?`
  return `exports ${name}, which is none of ${EXPORTS.join(', ')}; ${fix}`
}

/** @returns undefined if a file without tools exports no hooks either */
export function explainMisplacedHooks(exported: object): string | undefined {
  const name = HOOKS.find(each => Object.hasOwn(exported, each))
  return name && `exports ${name}, and hooks are read from _hooks.ts only; rename it to that`
}
