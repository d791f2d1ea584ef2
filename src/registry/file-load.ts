// One load of a tool file. Its top level may take as long as it likes, or never end: it cannot be stopped. So who waits
// for it does so for a bounded time, and can come back when it has ended after all.
import type { ToolModule } from './module-hook.ts'

/** What a module exports. */
export interface Exported {
  readonly default?: unknown
}

/** What became of it. */
export type LoadEnd =
  | { readonly isLoaded: true; readonly exported: Exported }
  | { readonly isLoaded: false; readonly thrown: unknown }

/** How often it is looked whether a wait is over, ms. */
const TICK_MS = 20

export class FileLoad {
  readonly file: string
  readonly module: ToolModule
  /** Resolves when it has ended, however; never rejects. */
  readonly ended: Promise<void>
  #end: LoadEnd | undefined

  constructor(file: string, module: ToolModule, loading: Promise<Exported>) {
    this.file = file
    this.module = module
    this.ended = loading.then(
      exported => void (this.#end = { isLoaded: true, exported }),
      (thrown: unknown) => void (this.#end = { isLoaded: false, thrown }),
    )
  }

  /** Undefined while it is under way. */
  get end(): LoadEnd | undefined {
    return this.#end
  }

  /**
   * Resolves when it has ended, or has had so much time.
   *
   * @param ms of an event loop that is free: while something blocks it, such as another file, nothing can end
   */
  within(ms: number, { keepsProcess = true } = {}): Promise<void> {
    if (this.#end !== undefined || ms <= 0) return Promise.resolve()
    return new Promise(resolve => {
      let ticks = Math.ceil(ms / TICK_MS)
      const timer = setInterval(() => {
        if (--ticks <= 0) stop()
      }, TICK_MS)
      const stop = () => {
        clearInterval(timer)
        resolve()
      }
      if (!keepsProcess) timer.unref()
      void this.ended.then(stop)
    })
  }
}
