// What tool files open and close. Files may share it, such as the pool of a helper: it is opened for
// the first of them, and closed with the last.
import type { Log } from '../../request/exchange.ts'
import type { ToolServer } from '../tool-server.ts'
import type { LoadGuard } from './load-guard.ts'
import { fileName } from './tool-roots.ts'

export type Work = () => unknown
export type Setup = (server: ToolServer) => unknown

interface Resource {
  users: number
  readonly file: string
  /** Of a `setup`: what it returns. */
  running?: Promise<unknown>
  /** Undefined if there is nothing to close, or not yet. */
  close?: Work
  /** Whether the `setup` before it has failed: so may `close`. */
  isHalfOpen?: boolean
}

interface Closing {
  readonly file: string
  readonly ended: Promise<void>
}

/** One version of a file, as the shutdown sees it. */
interface Closable {
  /** Closes what it has opened, or will have when its `setup` ends, whatever calls are under way. */
  close(): void
}

export interface LifecycleOptions {
  readonly guard: LoadGuard
  readonly log: Log
  onCloseFailed?(failure: CloseFailure): void
}

export interface CloseFailure {
  /** Relative to the working directory. */
  readonly file: string
  readonly reason: string
}

/** The resources of all files of a folder. */
export class Lifecycle {
  readonly #options: LifecycleOptions
  readonly #versions = new Set<Closable>()
  /** By the value or function that files export. */
  readonly #resources = new Map<object, Resource>()
  readonly #closing = new Map<object, Closing>()
  readonly #releases = new Set<Promise<void>>()
  readonly #disposed = new WeakSet<object>()
  #isClosed = false

  constructor(options: LifecycleOptions) {
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Has a version closed at the shutdown, until it is forgotten. */
  add(version: Closable): void {
    this.#versions.add(version)
  }

  forget(version: Closable): void {
    this.#versions.delete(version)
  }

  /** Resolves once none of these is being closed: only then they can be opened again. */
  async whenClosed(keys: readonly object[]): Promise<void> {
    for (;;) {
      const closing = keys.find(key => this.#closing.has(key))
      if (closing === undefined) return
      await this.#closing.get(closing)!.ended
    }
  }

  /** Counts a user, until it releases the key. */
  use(key: object, file: string): void {
    const resource = this.#resources.get(key) ?? { users: 0, file }
    resource.users++
    this.#resources.set(key, resource)
  }

  /** Runs a `setup` that is in use, unless it has run for another user. */
  run(setup: Setup, server: ToolServer): Promise<unknown> {
    const resource = this.#resources.get(setup)!
    return (resource.running ??= (async () => setup(server))())
  }

  /** Has what is in use closed after its last user. */
  closeBy(key: object, close: Work, { isHalfOpen = false } = {}): void {
    const resource = this.#resources.get(key)!
    resource.close ??= close
    resource.isHalfOpen = isHalfOpen
  }

  /** Whether it has been closed for good: a disposable cannot be opened again. */
  wasDisposed(value: object): boolean {
    return this.#disposed.has(value)
  }

  disposeBy(value: object, dispose: Work): void {
    this.closeBy(value, () => {
      this.#disposed.add(value)
      return dispose()
    })
  }

  /** Releases one key after the other: each waits until what the one before has closed is closed. */
  release(keys: readonly object[]): void {
    const releasing = this.#releaseAll(keys)
    this.#releases.add(releasing)
    void releasing.then(() => this.#releases.delete(releasing))
  }

  /** Closes all versions at once. Resolves once that has ended, or after `limitMs`. */
  async closeAll(limitMs: number): Promise<void> {
    this.#isClosed = true
    for (const version of this.#versions) version.close()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, limitMs)))
    await Promise.race([Promise.all(this.#releases), late])
    clearTimeout(timer)
    if (this.#closing.size > 0) this.#options.log.warn({ files: this.#listClosing() }, 'tool files not closed in time')
  }

  #listClosing(): readonly string[] {
    return [...new Set([...this.#closing.values()].map(({ file }) => fileName(file)))]
  }

  // Keys without anything to close are released in the same turn as the next one.
  async #releaseAll(keys: readonly object[]): Promise<void> {
    for (const key of keys) {
      const closing = this.#release(key)
      if (closing !== undefined) await closing
    }
  }

  #release(key: object): Promise<void> | undefined {
    const resource = this.#resources.get(key)!
    if (--resource.users > 0) return undefined
    this.#resources.delete(key)
    if (resource.close === undefined) return undefined
    const { file, close, isHalfOpen } = resource
    const ended = this.#close(file, close, isHalfOpen === true)
    this.#closing.set(key, { file, ended })
    void ended.then(() => this.#closing.delete(key))
    return ended
  }

  #close(file: string, close: Work, isHalfOpen: boolean): Promise<void> {
    const { guard, log, onCloseFailed } = this.#options
    return guard.load(fileName(file), async () => {
      try {
        await close()
      } catch (thrown) {
        const failure = { file: fileName(file), reason: guard.explain(thrown) }
        if (isHalfOpen) return log.info(failure, 'tool file could not be closed after its setup had failed')
        log.warn(failure, 'tool file could not be closed')
        onCloseFailed?.(failure)
      }
    })
  }
}
