// Loads tool files, one after another so that each runs by itself; but what takes long holds up no
// other.
import { types } from 'node:util'
import { fileName, importModule, type ToolModule } from './modules.ts'

// One load of a tool file. Its top level may take as long as it likes, or never end: it cannot be
// stopped. So who waits for it does so for a bounded time, and can come back when it has ended
// after all.

/** What a module exports. */
export interface Exported {
  readonly default?: unknown
}

/** What became of it. */
export type LoadResult =
  | { readonly isLoaded: true; readonly exported: Exported }
  | { readonly isLoaded: false; readonly thrown: unknown }

/** How often it is looked whether a wait is over, ms. */
const POLL_MS = 20

export class FileLoad {
  readonly file: string
  readonly module: ToolModule
  /** Resolves when it has ended, however; never rejects. */
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

  /** Undefined while it is under way. */
  get result(): LoadResult | undefined {
    return this.#result
  }

  /**
   * Resolves when it has ended, or has had so much time.
   *
   * @param ms of an event loop that is free: while something blocks it, such as another file,
   *   nothing can end
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

/** How long the top level of a file may take before it is told that it hangs, ms. */
export const HANG_WARNING_MS = 10_000
/** Before what has loaded is served without it, ms. */
const SERVE_WAIT_MS = 2000
/** Before the next file begins to load, ms. */
const NEXT_FILE_MS = 100
/** Files that load at once, of those that are waited for. */
const MAX_LOADING = 16

/** Runs the code of tool files, and reads what they throw. */
export interface LoadGuard {
  /**
   * Runs the top level of a file so that what it leaves behind is known as its own.
   *
   * @param file as logs name it
   */
  load<T>(file: string, work: () => T): T
  /** What a thrown value says, as one line that a log may hold. */
  explain(thrown: unknown): string
}

export const UNGUARDED: LoadGuard = Object.freeze({
  load: <T>(_file: string, work: () => T) => work(),
  explain: (thrown: unknown) =>
    types.isNativeError(thrown) ? thrown.message : String(typeof thrown === 'object' ? 'an object' : thrown),
})

/** A file that is to be loaded; `begin` is told when that is. */
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

  /** @returns all that were begun, when each has ended or is not waited for any more */
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

  /**
   * What to tell of a load that was waited for, once its time is over; undefined where it has ended
   * in time.
   */
  async explainHang(load: FileLoad): Promise<string | undefined> {
    await load.waitUpTo(this.#limitMs - SERVE_WAIT_MS, { keepsProcess: false })
    return load.result === undefined
      ? `has not loaded within ${this.#limitMs} ms; does its top level wait for something?`
      : undefined
  }
}
