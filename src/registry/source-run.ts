// Runs one source. Bounds its start, reload and close; logs and lists its failures.
import type { Log } from '../request/exchange.ts'
import type { DefinitionSource, SourceReload, SourceTarget } from './source.ts'

const START_WITHIN_MS = 2_000
const MAX_START_WITHIN_MS = 60_000
const RELOAD_WITHIN_MS = 60_000
const CLOSE_WITHIN_MS = 5_000

export interface SourceRunOptions {
  readonly log: Log
  /** Formats a thrown value as one line without secrets. */
  explain(thrown: unknown): string
}

type Step = 'start' | 'reload' | 'close'

export class SourceRun {
  readonly source: DefinitionSource
  readonly #target: SourceTarget
  readonly #options: SourceRunOptions
  #starting: Promise<boolean> | undefined
  #hasStarted = false
  #problem: string | undefined

  constructor(source: DefinitionSource, target: SourceTarget, options: SourceRunOptions) {
    this.source = source
    this.#target = target
    this.#options = options
  }

  /** Resolves once the source has started or failed, or after its limit. */
  async start(): Promise<void> {
    const { startWithinMs = START_WITHIN_MS } = this.source
    await this.#within(this.begin(), Math.min(startWithinMs, MAX_START_WITHIN_MS), 'start')
  }

  /** Starts without a limit. @returns whether it has started */
  begin(): Promise<boolean> {
    this.#starting ??= this.#attempt('start', () => this.source.start(this.#target)).then(hasStarted => {
      this.#starting = undefined
      this.#hasStarted = hasStarted
      return hasStarted
    })
    return this.#starting
  }

  async reload(options: SourceReload): Promise<void> {
    if (this.#starting !== undefined) return
    if (!this.#hasStarted) return this.start()
    const reloading = this.#attempt('reload', () => this.source.reload?.(options))
    await this.#within(reloading, RELOAD_WITHIN_MS, 'reload')
  }

  async close(): Promise<void> {
    await this.#within(
      this.#attempt('close', () => this.source.close?.()),
      CLOSE_WITHIN_MS,
      'close',
    )
  }

  get isReady(): boolean {
    return this.#readStatus().isReady
  }

  /** One line each. */
  get problems(): readonly string[] {
    const { problems } = this.#readStatus()
    return this.#problem === undefined ? problems : [this.#problem, ...problems]
  }

  #readStatus() {
    const none = { isReady: true, problems: [] }
    try {
      const { isReady = true, problems = [] } = this.source.status?.() ?? none
      return { isReady, problems: problems.map(String) }
    } catch (thrown) {
      return { ...none, problems: [this.#describe('status', this.#options.explain(thrown))] }
    }
  }

  /** @returns whether it succeeded; logs why not */
  async #attempt(step: Step, work: () => Promise<void> | undefined): Promise<boolean> {
    try {
      await work()
      this.#problem = undefined
      return true
    } catch (thrown) {
      this.#fail(step, this.#options.explain(thrown))
      return false
    }
  }

  async #within(work: Promise<unknown>, ms: number, step: Step): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(resolve, ms, true)
    })
    const isLate = await Promise.race([work.then(() => false), late])
    clearTimeout(timer)
    if (isLate) this.#fail(step, `takes longer than ${ms / 1000} s`)
  }

  #fail(step: Step, reason: string): void {
    this.#problem = this.#describe(step, reason)
    this.#options.log.error({ source: this.source.name, reason }, `source failed to ${step}`)
  }

  #describe(step: string, reason: string): string {
    return `${this.source.name}: ${step}: ${reason}`
  }
}
