// One version of a tool file, from its load until nothing of it runs: `setup` runs once before it is
// served; `close` and disposables once it is no longer served and its last call has ended, or at the
// shutdown.

import { describeValue } from '../../text/describe-value.ts'
import type { CatalogEntry } from '../catalog.ts'
import type { Prompt } from '../prompt.ts'
import type { Resource } from '../resource.ts'
import type { Tool } from '../tool.ts'
import { NO_SERVER, type ToolServer } from '../tool-server.ts'
import type { Lifecycle, Setup, Work } from './lifecycle.ts'

/** Counts the calls of one version of a file. */
export interface FileUse {
  begin(): void
  end(): void
}

export class FileVersion implements FileUse {
  readonly #file: string
  readonly #lifecycle: Lifecycle
  readonly #server: ToolServer
  #setup: Setup | undefined
  #takesServer = false
  #close: Work | undefined
  /** In the order in which they are released, from the last. */
  #opened: object[] = []
  #calls = 0
  #isRetired = false
  #isSettingUp = false
  #isShutDown = false

  /** @param createServer makes what its `setup` gets */
  constructor(
    file: string,
    lifecycle: Lifecycle,
    createServer: (version: FileVersion) => ToolServer = () => NO_SERVER,
  ) {
    this.#file = file
    this.#lifecycle = lifecycle
    this.#server = createServer(this)
  }

  /** Whether its `setup` is under way. */
  get isSettingUp(): boolean {
    return this.#isSettingUp
  }

  /** Whether its `setup` may change what is served. */
  get takesServer(): boolean {
    return this.#takesServer
  }

  /** Whether it has been replaced, or its file is gone. */
  get isRetired(): boolean {
    return this.#isRetired
  }

  /**
   * Learns from its exports what is to be opened and closed.
   *
   * @throws Error if `setup` or `close` is no function, or what it exports has been closed
   */
  adopt(exported: object): void {
    const { default: _definitions, setup, close, ...others } = exported as Record<string, unknown>
    this.#lifecycle.add(this)
    if (this.#lifecycle.isClosed) this.#isRetired = true
    for (const [name, value] of Object.entries(others)) this.#useIfDisposable(value, `exports ${name}, which`)
    assertFunctions({ setup, close })
    this.#takesServer = ((setup as Setup | undefined)?.length ?? 0) > 0
    // A server is of one version, so such a `setup` runs for each, also if files share it.
    this.#setup = this.#takesServer ? server => (setup as Setup)(server) : (setup as Setup | undefined)
    this.#close = close as Work | undefined
    if (this.#close !== undefined && this.#setup === undefined) {
      this.#use(this.#close)
      this.#lifecycle.closeBy(this.#close, this.#close)
    }
    // Replaced, or shut down, while it was imported.
    this.#closeIfIdle()
  }

  /** Runs `setup`, if there is one. @throws what it throws */
  async setUp(): Promise<void> {
    if (this.#setup === undefined || this.#isRetired) return
    this.#isSettingUp = true
    try {
      await this.#runSetup(this.#setup, this.#close)
    } finally {
      this.#isSettingUp = false
      this.#closeIfIdle()
    }
  }

  /** Whether there is nothing to close. */
  get opensNothing(): boolean {
    return this.#opened.length === 0 && this.#setup === undefined
  }

  /** The entry, whose calls keep this version open. */
  track<E extends CatalogEntry>(entry: E): E {
    if (this.opensNothing) return entry
    const functions: Record<CatalogEntry['kind'], () => object> = {
      tool: () => this.#trackTool(entry as Tool),
      prompt: () => this.#trackPrompt(entry as Prompt),
      resource: () => this.#trackResource(entry as Resource),
    }
    const handler = this.trackFunction(entry.handler as (...args: unknown[]) => unknown)
    return Object.freeze({ ...entry, ...functions[entry.kind](), handler, use: this } as CatalogEntry) as E
  }

  /** The function, whose runs keep this version open: one may go on when its call has ended. */
  trackFunction<A extends unknown[], R>(work: (...args: A) => R | Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      this.begin()
      try {
        return await work(...args)
      } finally {
        this.end()
      }
    }
  }

  begin(): void {
    this.#calls++
  }

  end(): void {
    this.#calls--
    this.#closeIfIdle()
  }

  /** The file is no longer served: closes what it opened, after its last call. */
  retire(): void {
    this.#isRetired = true
    this.#closeIfIdle()
  }

  /** Closes what it opened, whatever calls are under way, or will have when its `setup` ends. */
  close(): void {
    this.#isShutDown = true
    this.retire()
  }

  async #runSetup(setup: Setup, close: Work | undefined): Promise<void> {
    // Files that share them release both together, `setup` first, so that a new user runs it again.
    const shared = close === undefined ? [setup] : [close, setup]
    await this.#lifecycle.whenClosed(shared)
    if (this.#isRetired) return
    for (const key of shared) this.#use(key)
    const returned = await this.#lifecycle.run(setup, this.#server).catch(thrown => {
      // It may have opened something before it failed.
      if (close !== undefined) this.#lifecycle.closeBy(close, close, { isHalfOpen: true })
      throw thrown
    })
    if (close !== undefined) this.#lifecycle.closeBy(close, close)
    this.#useIfDisposable(returned, 'setup returns what', this.#opened.length - shared.length)
  }

  #trackTool({ onCall }: Tool): object {
    return { onCall: onCall.map(hook => this.trackFunction(hook)) }
  }

  #trackPrompt({ arguments: known, onGetPrompt }: Prompt): object {
    const args = known.map(({ complete, ...argument }) =>
      complete === undefined ? argument : { ...argument, complete: this.trackFunction(complete) },
    )
    return { arguments: Object.freeze(args), onGetPrompt: onGetPrompt.map(hook => this.trackFunction(hook)) }
  }

  #trackResource({ complete, onReadResource }: Resource): object {
    const tracked = Object.entries(complete).map(([name, suggest]) => [name, suggest && this.trackFunction(suggest)])
    const hooks = onReadResource.map(hook => this.trackFunction(hook))
    return { complete: Object.freeze(Object.fromEntries(tracked)), onReadResource: hooks }
  }

  #useIfDisposable(value: unknown, what: string, index = this.#opened.length): void {
    if (typeof value !== 'object' || value === null) return
    const dispose =
      (value as Partial<AsyncDisposable>)[Symbol.asyncDispose] ?? (value as Partial<Disposable>)[Symbol.dispose]
    if (typeof dispose !== 'function') return
    if (this.#lifecycle.wasDisposed(value))
      throw new Error(`${what} was closed with the last file that used it; open it anew in setup`)
    this.#use(value, index)
    this.#lifecycle.disposeBy(value, () => dispose.call(value))
  }

  #use(key: object, index = this.#opened.length): void {
    this.#opened.splice(index, 0, key)
    this.#lifecycle.use(key, this.#file)
  }

  #closeIfIdle(): void {
    const isUsed = this.#isSettingUp || (this.#calls > 0 && !this.#isShutDown)
    if (!this.#isRetired || isUsed) return
    this.#lifecycle.forget(this)
    this.#lifecycle.release(this.#opened.splice(0).reverse())
  }
}

function assertFunctions(exported: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(exported)) {
    if (value !== undefined && typeof value !== 'function')
      throw new Error(`${name} must be a function, not ${describeValue(value)}`)
  }
}
