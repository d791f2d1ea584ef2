// The things that versions of tool files hold open. Files may share them, such as the pool of a
// helper. The `setup` of one runs once for all its files, and it is closed with the last version
// that holds it.
import type { ToolServer } from 'toolrack'
import type { LoadGuard } from 'toolrack/definitions'
import type { Log } from 'toolrack/source'
import { fileName } from './tool-roots.ts'

export type Work = () => unknown
export type Setup = (server: ToolServer) => unknown

/** An exported function or disposable, or the return value of `setup`. */
export interface Opened {
  readonly key: object
  /** Undefined if there is nothing to close. */
  readonly close?: Work
}

/** A version of a file. */
export interface Holder {
  readonly file: string
  /** In the order of opening. */
  readonly opened: readonly Opened[]
  /** If its `setup` has failed, `close` may fail, too. */
  readonly phase: 'importing' | 'setting up' | 'loaded' | 'failed'
  /** Closes what it has opened, or will have opened when its `setup` ends, even while calls run. */
  shutDown(): void
}

export interface CloseFailure {
  /** The name of the file, as in the log. */
  readonly file: string
  readonly reason: string
}

export interface OpeningsOptions {
  readonly guard: LoadGuard
  readonly log: Log
}

export class Openings {
  readonly #options: OpeningsOptions
  readonly #holders = new Set<Holder>()
  readonly #running = new Map<object, Promise<unknown>>()
  readonly #closing = new Map<object, { readonly file: string; readonly ended: Promise<void> }>()
  readonly #releases = new Set<Promise<void>>()
  readonly #disposed = new WeakSet<object>()
  readonly #failures: CloseFailure[] = []
  #isShutDown = false

  constructor(options: OpeningsOptions) {
    this.#options = options
  }

  get isShutDown(): boolean {
    return this.#isShutDown
  }

  /** Everything that failed to close at the shutdown. */
  get failures(): readonly CloseFailure[] {
    return this.#failures
  }

  /** Keeps the openings of a holder open until it releases them. */
  add(holder: Holder): void {
    this.#holders.add(holder)
  }

  /** Resolves once none of these is closing, so that they can be opened again. */
  async whenClosed(keys: readonly object[]): Promise<void> {
    for (;;) {
      const closing = keys.find(key => this.#closing.has(key))
      if (closing === undefined) return
      await this.#closing.get(closing)!.ended
    }
  }

  /** Runs `setup`, unless another holder has run it. */
  run(setup: Setup, server: ToolServer): Promise<unknown> {
    const running = this.#running.get(setup) ?? (async () => setup(server))()
    this.#running.set(setup, running)
    return running
  }

  /** Whether it has been closed for good, since a disposable cannot be opened again. */
  wasDisposed(value: object): boolean {
    return this.#disposed.has(value)
  }

  /** Closes what no other holder has. Closes the last opened first, one after the other. */
  release(holder: Holder): void {
    if (!this.#holders.delete(holder)) return
    const releasing = this.#releaseAll(holder)
    this.#releases.add(releasing)
    void releasing.then(() => this.#releases.delete(releasing))
  }

  /** After this, new openings are closed at once. */
  shutDown(): void {
    this.#isShutDown = true
  }

  /** Closes everything. Resolves once that has ended, or after `limitMs`. */
  async closeAll(limitMs: number): Promise<void> {
    this.#isShutDown = true
    for (const holder of this.#holders) holder.shutDown()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, limitMs)))
    await Promise.race([Promise.all(this.#releases), late])
    clearTimeout(timer)
    const files = new Set([...this.#closing.values()].map(({ file }) => fileName(file)))
    if (files.size > 0) this.#options.log.warn({ files: [...files] }, 'tool files not closed in time')
  }

  // If nothing needs closing, it is released in the same turn as the next one.
  async #releaseAll(holder: Holder): Promise<void> {
    for (const { key, close } of holder.opened.toReversed()) {
      if ([...this.#holders].some(({ opened }) => opened.some(each => each.key === key))) continue
      this.#running.delete(key)
      if (close === undefined) continue
      const ended = this.#close(holder, close)
      this.#closing.set(key, { file: holder.file, ended })
      if (typeof key !== 'function') this.#disposed.add(key)
      await ended
      this.#closing.delete(key)
    }
  }

  #close({ file: path, phase }: Holder, close: Work): Promise<void> {
    const { guard, log } = this.#options
    const file = fileName(path)
    return guard.load(file, async () => {
      try {
        await close()
      } catch (thrown) {
        const failure = { file, reason: guard.explain(thrown) }
        if (phase === 'failed') return log.info(failure, 'tool file could not be closed after its setup had failed')
        log.warn(failure, 'tool file could not be closed')
        // Failures of a reload are only logged. Otherwise a long-running server would collect them
        // without end.
        if (this.#isShutDown) this.#failures.push(failure)
      }
    })
  }
}
