// One version of a tool file, from its import until nothing of it runs: `setup` runs once before it
// is served; `close` and disposables once it is retired and its last call has ended, or at the
// shutdown.
import type { ToolHooks, ToolServer } from 'toolrack'
import type { CatalogEntry } from 'toolrack/definitions'
import { describeValue } from 'toolrack/text'
import type { FileSources } from './file-sources.ts'
import type { Holder, Opened, Openings, Setup, Work } from './openings.ts'
import { type FileUse, trackEntry, trackHooks } from './tracked.ts'

export class FileVersion implements FileUse, Holder {
  readonly file: string
  /** Changes here alone, as all that follows. */
  phase: Holder['phase'] = 'importing'
  /** What it has failed at. */
  thrown: unknown
  /** Resolves once what is under way has ended or failed; never rejects. */
  ended: Promise<void> = Promise.resolve()
  /** Whether it has been replaced, or its file is gone. */
  isRetired = false
  /** Whether it has a `setup`, or sources, that have not begun. */
  isToBeSetUp = false
  /** What it exports that goes on to put what the file serves. */
  sources: FileSources | undefined
  readonly #openings: Openings
  readonly #createServer: () => ToolServer
  #setup: Setup | undefined
  #takesServer = false
  #close: Work | undefined
  readonly #exported: Opened[] = []
  /** What `setup` has opened. */
  #setUp: readonly Opened[] = []
  #calls = 0
  #isShutDown = false

  /** @param createServer makes what its `setup` gets */
  constructor(file: string, openings: Openings, createServer: () => ToolServer) {
    this.file = file
    this.#openings = openings
    this.#createServer = createServer
  }

  get isUnderWay(): boolean {
    return this.phase === 'importing' || this.phase === 'setting up'
  }

  /** Whether only what it opens says what is served: its `setup`, or its sources. */
  get decidesLater(): boolean {
    return this.#takesServer || this.sources !== undefined
  }

  /** In the order of their opening. */
  get opened(): readonly Opened[] {
    return [...this.#exported, ...this.#setUp]
  }

  /** Starts to load. Afterwards `phase` says how it went. */
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
   * Learns from its exports what is to be opened and closed.
   *
   * @throws Error if `setup` or `close` is no function, or what it exports has been closed
   */
  adopt(exported: object): void {
    const { default: _definitions, setup, close, ...others } = exported as Record<string, unknown>
    this.#openings.add(this)
    if (this.#openings.isShutDown) this.isRetired = true
    for (const [name, value] of Object.entries(others))
      this.#exported.push(...this.#findDisposable(value, `exports ${name}, which`))
    assertFunctions({ setup, close })
    this.#takesServer = ((setup as Setup | undefined)?.length ?? 0) > 0
    // A server is of one version, so such a `setup` runs for each, also if files share it.
    this.#setup = this.#takesServer ? server => (setup as Setup)(server) : (setup as Setup | undefined)
    this.#close = close as Work | undefined
    this.isToBeSetUp = setup !== undefined
    if (this.#close !== undefined && this.#setup === undefined)
      this.#exported.push({ key: this.#close, close: this.#close })
    // Replaced, or shut down, while it was imported.
    this.#closeIfIdle()
  }

  /** Has its sources started after `setup`. */
  adoptSources(sources: FileSources): void {
    this.sources = sources
    this.isToBeSetUp = true
  }

  /** Runs `setup`, and starts the sources. @throws what they throw */
  async setUp(): Promise<void> {
    if (!this.isToBeSetUp || this.isRetired) return
    this.isToBeSetUp = false
    this.phase = 'setting up'
    try {
      if (this.#setup !== undefined) await this.#runSetup(this.#setup)
      if (this.sources !== undefined) await this.#startSources(this.sources)
    } catch (thrown) {
      // Before it is closed: `close` may not cope with what half a `setup` leaves.
      this.phase = 'failed'
      throw thrown
    } finally {
      if (this.phase === 'setting up') this.phase = 'loaded'
      this.#closeIfIdle()
    }
  }

  /** The entry, whose calls keep this version open. */
  track<E extends CatalogEntry>(entry: E): E {
    return this.#opensNothing ? entry : trackEntry(entry, this)
  }

  /** The hooks, whose runs keep this version open. */
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

  /** It is no longer served: closes what it opened, after its last call. */
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
    // Files that share them release `setup` first, so that a new one runs it again.
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

  /** @returns none if it is not disposable */
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
