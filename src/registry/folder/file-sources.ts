// The sources that a version of a tool file exports: what they put is what the file serves.
import type { Log } from '../../request/exchange.ts'
import type { Definition } from '../catalog.ts'
import type { DefinitionSource, PutReport, SourceReload, SourceStatus } from '../source.ts'
import type { LoadGuard } from './load-guard.ts'

export interface FileSourcesOptions {
  /** As the log names it. */
  readonly file: string
  readonly log: Log
  readonly guard: LoadGuard
  /** Serves the whole set of a source in place of its earlier one. */
  put(source: DefinitionSource, definitions: readonly Definition[]): PutReport
}

export class FileSources {
  readonly #sources: readonly DefinitionSource[]
  readonly #options: FileSourcesOptions
  readonly #end = new AbortController()
  /** Why sources could not be started or reloaded, or what they put is refused. */
  readonly #failures = new Map<DefinitionSource, string>()
  readonly #refused = new Map<DefinitionSource, readonly string[]>()
  readonly #started = new Set<DefinitionSource>()

  constructor(sources: readonly DefinitionSource[], options: FileSourcesOptions) {
    this.#sources = sources
    this.#options = options
  }

  /** Resolves once each has put something or has failed. @throws what the first has failed at, if all have */
  async start(): Promise<void> {
    const starts = this.#sources.map(source => this.#start(source))
    const ended = await Promise.allSettled(starts)
    if (this.#started.size === 0) await Promise.all(starts)
    for (const [index, result] of ended.entries())
      if (result.status === 'rejected') this.#fail(this.#sources[index]!, 'start', result.reason)
  }

  async reload(options: SourceReload): Promise<void> {
    await Promise.all(this.#sources.map(source => this.#reload(source, options)))
  }

  status(): SourceStatus {
    const all = this.#sources.map(source => ({ source, status: source.status?.() }))
    return {
      isReady: all.every(({ status }) => status?.isReady ?? true),
      problems: all.flatMap(({ source, status }) => [
        ...(this.#failures.has(source) ? [`${source.name}: ${this.#failures.get(source)}`] : []),
        ...(this.#refused.get(source) ?? []).map(reason => `${source.name}: ${reason}`),
        ...(status?.problems ?? []),
      ]),
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#sources.map(source => source.close?.()))
  }

  #start(source: DefinitionSource): Promise<void> {
    const { file, log, put } = this.#options
    return new Promise((resolve, reject) => {
      const putOwn = (definitions: readonly Definition[]): PutReport => {
        if (this.#end.signal.aborted) return { served: [], hidden: [], withheld: [], refused: [] }
        const report = put(source, definitions)
        const refused = report.refused.map(({ error }) => error.message)
        for (const reason of refused.filter(each => !this.#refused.get(source)?.includes(each)))
          log.error({ file, source: source.name, reason }, 'definition of a source refused')
        this.#refused.set(source, refused)
        this.#started.add(source)
        resolve()
        return report
      }
      const ownLog = log.child?.({ file, source: source.name }) ?? log
      const start = async () => source.start({ put: putOwn, log: ownLog, signal: this.#end.signal })
      const onFailed = (thrown: unknown) =>
        this.#started.has(source) ? this.#fail(source, 'start', thrown) : reject(thrown)
      start().then(() => {
        this.#started.add(source)
        resolve()
      }, onFailed)
    })
  }

  async #reload(source: DefinitionSource, options: SourceReload): Promise<void> {
    try {
      await (this.#started.has(source) ? source.reload?.(options) : this.#start(source))
      this.#failures.delete(source)
    } catch (thrown) {
      this.#fail(source, 'reload', thrown)
    }
  }

  #fail(source: DefinitionSource, step: 'start' | 'reload', thrown: unknown): void {
    const { file, log, guard } = this.#options
    const reason = guard.explain(thrown)
    this.#failures.set(source, reason)
    log.error({ file, source: source.name, reason }, `source failed to ${step}`)
  }
}
