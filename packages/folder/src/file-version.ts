// One version of a tool file, from its import until nothing of it runs. `setup` runs once, before
// the version is served. `close` and disposables run once the version is retired and its last call
// has ended, or at the shutdown.
import type { ToolHooks, ToolServer } from 'toolrack'
import type { CatalogEntry } from 'toolrack/definitions'
import { describeValue } from 'toolrack/text'
import type { FileSources } from './file-sources.ts'
import type { Holder, Opened, Openings, Setup, Work } from './openings.ts'
import { type FileUse, trackEntry, trackHooks } from './tracked.ts'

export class FileVersion implements FileUse, Holder {
  readonly file: string
  /** Only this class changes it, and the members below. */
  phase: Holder['phase'] = 'importing'
  /** The error with which it failed. */
  thrown: unknown
  /** Resolves once its load or `setup` has ended or failed; never rejects. */
  ended: Promise<void> = Promise.resolve()
  /** Whether it has been replaced, or its file is gone. */
  isRetired = false
  /** Whether it has a `setup`, or sources, that have not begun. */
  isToBeSetUp = false
  /** The exported sources, which continue to put definitions. */
  sources: FileSources | undefined
  readonly #openings: Openings
  readonly #createServer: () => ToolServer
  #setup: Setup | undefined
  #takesServer = false
  #close: Work | undefined
  readonly #exported: Opened[] = []
  /** Everything that `setup` has opened. */
  #setUp: readonly Opened[] = []
  #calls = 0
  #isShutDown = false

  /** @param createServer creates the argument of its `setup` */
  constructor(file: string, openings: Openings, createServer: () => ToolServer) {
    this.file = file
    this.#openings = openings
    this.#createServer = createServer
  }

  get isUnderWay(): boolean {
    return this.phase === 'importing' || this.phase === 'setting up'
  }

  /** Whether its definitions are known only after `setup`, or come from its sources. */
  get decidesLater(): boolean {
    return this.#takesServer || this.sources !== undefined
  }

  /** In the order of opening. */
  get opened(): readonly Opened[] {
    return [...this.#exported, ...this.#setUp]
  }

  /** Starts to load. `phase` has the result. */
  load(work: () => Promise<void>): Promise<void> {
    this.ended = work().then(
      () => void (this.phase = 'loaded'),
      (thrown: unknown) => {
        this.phase = 'failed'
        this.thrown = thrown
      },
    )
    return this.ended
  }

  /**
   * Finds what to open and to close in its exports.
   *
   * @throws Error if `setup` or `close` is not a function, or an exported disposable has been closed
   */
  adopt(exported: object): void {
    const { default: _definitions, setup, close, ...others } = exported as Record<string, unknown>
    this.#openings.add(this)
    if (this.#openings.isShutDown) this.isRetired = true
    for (const [name, value] of Object.entries(others))
      this.#exported.push(...this.#findDisposable(value, `exports ${name}, which`))
    assertFunctions({ setup, close })
    this.#takesServer = ((setup as Setup | undefined)?.length ?? 0) > 0
    // A server belongs to one version. So this kind of `setup` runs for each version, even if files
    // share it.
    this.#setup = this.#takesServer ? server => (setup as Setup)(server) : (setup as Setup | undefined)
    this.#close = close as Work | undefined
    this.isToBeSetUp = setup !== undefined
    if (this.#close !== undefined && this.#setup === undefined)
      this.#exported.push({ key: this.#close, close: this.#close })
    // It was replaced, or the server shut down, while it was imported.
    this.#closeIfIdle()
  }

  /** Adds sources, which start after `setup`. */
  adoptSources(sources: FileSources): void {
    this.sources = sources
    this.isToBeSetUp = true
  }

  /** Runs `setup`, and starts the sources. @throws their errors */
  async setUp(): Promise<void> {
    if (!this.isToBeSetUp || this.isRetired) return
    this.isToBeSetUp = false
    this.phase = 'setting up'
    try {
      if (this.#setup !== undefined) await this.#runSetup(this.#setup)
      if (this.sources !== undefined) await this.#startSources(this.sources)
    } catch (thrown) {
      // Set before the close: `close` may fail after half a `setup`.
      this.phase = 'failed'
      throw thrown
    } finally {
      if (this.phase === 'setting up') this.phase = 'loaded'
      this.#closeIfIdle()
    }
  }

  /** Returns the entry. Its calls keep this version open. */
  track<E extends CatalogEntry>(entry: E): E {
    return this.#opensNothing ? entry : trackEntry(entry, this)
  }

  /** Returns the hooks. Their runs keep this version open. */
  trackHooks(hooks: ToolHooks): ToolHooks {
    return this.#opensNothing ? hooks : trackHooks(hooks, this)
  }

  begin(): void {
    this.#calls++
  }

  end(): void {
    this.#calls--
    this.#closeIfIdle()
  }

  /** The version is no longer served. Closes what it opened, after its last call. */
  retire(): void {
    this.isRetired = true
    this.#closeIfIdle()
  }

  shutDown(): void {
    this.#isShutDown = true
    this.retire()
  }

  get #opensNothing(): boolean {
    return this.#exported.length === 0 && this.#setup === undefined && this.sources === undefined
  }

  async #runSetup(setup: Setup): Promise<void> {
    const close = this.#close
    // Files that share it release `setup` first, so that a new file runs `setup` again.
    const shared: Opened[] = [...(close === undefined ? [] : [{ key: close, close }]), { key: setup }]
    await this.#openings.whenClosed(shared.map(({ key }) => key))
    if (this.isRetired) return
    this.#setUp = shared
    const returned = await this.#openings.run(setup, this.#createServer())
    this.#setUp = [...this.#findDisposable(returned, 'setup returns what'), ...shared]
  }

  async #startSources(sources: FileSources): Promise<void> {
    if (this.isRetired) return
    this.#setUp = [...this.#setUp, { key: sources, close: () => sources.close() }]
    await sources.start()
  }

  /** @returns an empty list if the value is not disposable */
  #findDisposable(value: unknown, what: string): Opened[] {
    if (typeof value !== 'object' || value === null) return []
    const dispose =
      (value as Partial<AsyncDisposable>)[Symbol.asyncDispose] ?? (value as Partial<Disposable>)[Symbol.dispose]
    if (typeof dispose !== 'function') return []
    if (this.#openings.wasDisposed(value))
      throw new Error(`${what} was closed with the last file that used it; open it anew in setup`)
    return [{ key: value, close: () => dispose.call(value) }]
  }

  #closeIfIdle(): void {
    const isUsed = this.phase === 'setting up' || (this.#calls > 0 && !this.#isShutDown)
    if (this.isRetired && !isUsed) this.#openings.release(this)
  }
}

function assertFunctions(exported: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(exported)) {
    if (value !== undefined && typeof value !== 'function')
      throw new Error(`${name} must be a function, not ${describeValue(value)}`)
  }
}
