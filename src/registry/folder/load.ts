// Loads tool files one after another; a slow file does not block the others.

import type { FileVersion } from './file-version.ts'
import type { LoadGuard } from './load-guard.ts'
import { importModule, type ToolModule } from './modules.ts'
import { fileName } from './tool-roots.ts'

// A file's top level cannot be stopped and may never end, so waiting for it is bounded.

export interface Exported {
  readonly default?: unknown
}

export type LoadResult<C> =
  | { readonly isLoaded: true; readonly content: C }
  | { readonly isLoaded: false; readonly thrown: unknown }

/** How often a wait is checked, ms. */
const POLL_MS = 20

export class FileLoad<C> {
  readonly file: string
  readonly version: FileVersion
  /** Resolves when the load has ended or failed; never rejects. */
  readonly ended: Promise<void>
  #result: LoadResult<C> | undefined

  constructor(file: string, version: FileVersion, loading: Promise<C>) {
    this.file = file
    this.version = version
    this.ended = loading.then(
      content => void (this.#result = { isLoaded: true, content }),
      (thrown: unknown) => void (this.#result = { isLoaded: false, thrown }),
    )
  }

  /** Undefined while the load is under way. */
  get result(): LoadResult<C> | undefined {
    return this.#result
  }

  /**
   * Resolves when the load has ended, or after this time.
   *
   * @param ms counted only while the event loop is free: if it is blocked, no load can end
   */
  waitUpTo(ms: number, { keepsProcess = true } = {}): Promise<void> {
    if (this.#result !== undefined || ms <= 0) return Promise.resolve()
    return new Promise(resolve => {
      let ticks = Math.ceil(ms / POLL_MS)
      const timer = setInterval(() => {
        if (--ticks <= 0) stop()
      }, POLL_MS)
      const stop = () => {
        clearInterval(timer)
        resolve()
      }
      if (!keepsProcess) timer.unref()
      void this.ended.then(stop)
    })
  }
}

/** How long a file's top level may take before the log reports that it hangs, ms. */
export const HANG_WARNING_MS = 10_000
/** How long serving the other files waits for a load, ms. */
const SERVE_WAIT_MS = 2000
/** How long the next load waits for this one, ms. */
const NEXT_FILE_MS = 100
/** Concurrent loads that are waited for. */
const MAX_LOADING = 16

export interface FileToLoad<C> {
  readonly file: string
  readonly module: ToolModule
  readonly version: FileVersion
  /** Called when the load starts. */
  begin(load: FileLoad<C>): void
  /** Reads what the file exports, before it is set up. */
  read(exported: Exported): C
  /** Whether something of it will run in this process; if not, it is not set up. */
  isUsedHere(content: C): boolean
}

export class FileLoader {
  readonly #guard: LoadGuard
  readonly #limitMs: number

  constructor(guard: LoadGuard, limitMs: number) {
    this.#guard = guard
    this.#limitMs = limitMs
  }

  /** @returns all loads, once each has ended or its wait is over */
  async load<C>(files: readonly FileToLoad<C>[]): Promise<FileLoad<C>[]> {
    const loads: FileLoad<C>[] = []
    const waits = new Set<Promise<void>>()
    for (const each of files) {
      while (waits.size >= MAX_LOADING) await Promise.race(waits)
      const loading = this.#guard.load(fileName(each.file), () => open(each))
      const load = new FileLoad(each.file, each.version, loading)
      loads.push(load)
      each.begin(load)
      const wait = load.waitUpTo(Math.min(SERVE_WAIT_MS, this.#limitMs))
      waits.add(wait)
      void wait.then(() => waits.delete(wait))
      await load.waitUpTo(Math.min(NEXT_FILE_MS, this.#limitMs))
    }
    await Promise.all(waits)
    return loads
  }

  /** Waits for the time limit. @returns what to log, or undefined if the load has ended in time */
  async explainHang(load: FileLoad<unknown>): Promise<string | undefined> {
    await load.waitUpTo(this.#limitMs - SERVE_WAIT_MS, { keepsProcess: false })
    if (load.result !== undefined) return undefined
    const waiting = load.version.isSettingUp ? 'setup' : 'top level'
    return `has not loaded within ${this.#limitMs} ms; does its ${waiting} wait for something?`
  }
}

async function open<C>({ module, version, read, isUsedHere }: FileToLoad<C>): Promise<C> {
  const exported = await importModule(module)
  version.adopt(exported)
  const content = read(exported)
  if (isUsedHere(content)) await version.setUp()
  return content
}
