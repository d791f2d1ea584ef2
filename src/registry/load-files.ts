// Loads tool files, one after another so that each runs by itself; but what takes long holds up no other.
import { types } from 'node:util'
import { FileLoad } from './file-load.ts'
import { fileName } from './file-name.ts'
import { importModule, type ToolModule } from './module-hook.ts'

/** How long the top level of a file may take before it is told that it hangs, ms. */
export const LOAD_LIMIT_MS = 10_000
/** Before what has loaded is served without it, ms. */
const SERVED_MS = 2000
/** Before the next file begins to load, ms. */
const NEXT_MS = 100
/** Files that load at once, of those that are waited for. */
const MAX_LOADING = 16

/** Runs the code of tool files, and reads what they throw. */
export interface LoadGuard {
  /** Runs the top level of a file so that what it leaves behind is known as its own. @param file as logs name it */
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
      const wait = load.within(Math.min(SERVED_MS, this.#limitMs))
      waits.add(wait)
      void wait.then(() => waits.delete(wait))
      await load.within(Math.min(NEXT_MS, this.#limitMs))
    }
    await Promise.all(waits)
    return loads
  }

  /** What to tell of a load that was waited for, once its time is over; undefined where it has ended in time. */
  async explainHang(load: FileLoad): Promise<string | undefined> {
    await load.within(this.#limitMs - SERVED_MS, { keepsProcess: false })
    return load.end === undefined
      ? `has not loaded within ${this.#limitMs} ms; does its top level wait for something?`
      : undefined
  }
}
