// Loads tool files one after another; a slow file does not block the others.
import { types } from 'node:util'
import { fileName, importModule, type ToolModule } from './modules.ts'

// A file's top level cannot be stopped and may never end, so waiting for it is bounded.

export interface Exported {
  readonly default?: unknown
}

export type LoadResult =
  | { readonly isLoaded: true; readonly exported: Exported }
  | { readonly isLoaded: false; readonly thrown: unknown }

/** How often a wait is checked, ms. */
const POLL_MS = 20

export class FileLoad {
  readonly file: string
  readonly module: ToolModule
  /** Resolves when the load has ended or failed; never rejects. */
  readonly ended: Promise<void>
  #result: LoadResult | undefined

  constructor(file: string, module: ToolModule, loading: Promise<Exported>) {
    this.file = file
    this.module = module
    this.ended = loading.then(
      exported => void (this.#result = { isLoaded: true, exported }),
      (thrown: unknown) => void (this.#result = { isLoaded: false, thrown }),
    )
  }

  /** Undefined while the load is under way. */
  get result(): LoadResult | undefined {
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

export interface LoadGuard {
  /**
   * Runs a file's top level so that its later errors are attributed to it.
   *
   * @param file the name for logs
   */
  load<T>(file: string, work: () => T): T
  /** Formats a thrown value as one line for the log. */
  explain(thrown: unknown): string
}

export const UNGUARDED: LoadGuard = Object.freeze({
  load: <T>(_file: string, work: () => T) => work(),
  explain: (thrown: unknown) =>
    types.isNativeError(thrown) ? thrown.message : String(typeof thrown === 'object' ? 'an object' : thrown),
})

/** `begin` is called when the load starts. */
export interface FileToLoad {
  readonly file: string
  readonly module: ToolModule
  begin(load: FileLoad): void
}

export class FileLoader {
  readonly #guard: LoadGuard
  readonly #limitMs: number

  constructor(guard: LoadGuard, limitMs: number) {
    this.#guard = guard
    this.#limitMs = limitMs
  }

  /** @returns all loads, once each has ended or its wait is over */
  async load(files: readonly FileToLoad[]): Promise<FileLoad[]> {
    const loads: FileLoad[] = []
    const waits = new Set<Promise<void>>()
    for (const { file, module, begin } of files) {
      while (waits.size >= MAX_LOADING) await Promise.race(waits)
      const load = new FileLoad(
        file,
        module,
        this.#guard.load(fileName(file), () => importModule(module)),
      )
      loads.push(load)
      begin(load)
      const wait = load.waitUpTo(Math.min(SERVE_WAIT_MS, this.#limitMs))
      waits.add(wait)
      void wait.then(() => waits.delete(wait))
      await load.waitUpTo(Math.min(NEXT_FILE_MS, this.#limitMs))
    }
    await Promise.all(waits)
    return loads
  }

  /** Waits for the time limit. @returns what to log, or undefined if the load has ended in time */
  async explainHang(load: FileLoad): Promise<string | undefined> {
    await load.waitUpTo(this.#limitMs - SERVE_WAIT_MS, { keepsProcess: false })
    return load.result === undefined
      ? `has not loaded within ${this.#limitMs} ms; does its top level wait for something?`
      : undefined
  }
}
