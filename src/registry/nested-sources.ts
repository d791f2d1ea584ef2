// Sources within a source, such as those of a file of a tools folder. A new version of a file starts
// before the earlier one stops, which is closed once the new one has put something.
import type { Log } from '../request/exchange.ts'
import type { Definition } from './catalog.ts'
import { findRoot } from './derive.ts'
import type { DefinitionSource, PutReport, SourceReload } from './source.ts'
import { SourceRun, type SourceRunOptions } from './source-run.ts'

export interface NestedSourcesOptions extends SourceRunOptions {
  readonly log: Log
  /** Aborted when the outer source ends. */
  readonly signal: AbortSignal
  /** Has the outer source put its whole set, with `definitions`. */
  put(): PutReport
}

/** The sources of one version of a file. */
interface Version {
  readonly runs: readonly SourceRun[]
  /** What each has put. */
  readonly sets: (readonly Definition[] | undefined)[]
  readonly end: AbortController
  hasBegun: boolean
}

interface File {
  readonly active?: Version | undefined
  /** Starts in the place of the active one. */
  readonly next?: Version | undefined
}

const EMPTY: PutReport = Object.freeze({ served: [], hidden: [], withheld: [], refused: [] })

export class NestedSources {
  readonly #options: NestedSourcesOptions
  readonly #files = new Map<string, File>()

  constructor(options: NestedSourcesOptions) {
    this.#options = options
  }

  /** What all have put, in the order of the files. */
  get definitions(): readonly Definition[] {
    return [...this.#files.values()].flatMap(({ active }) => active?.sets.flatMap(set => set ?? []) ?? [])
  }

  get isReady(): boolean {
    return this.#runs.every(run => run.isReady)
  }

  /** One line each. */
  get problems(): readonly string[] {
    return this.#runs.flatMap(run => run.problems)
  }

  /** Starts the sources of a file in place of its earlier ones. Resolves once they have started. */
  async set(file: string, sources: readonly DefinitionSource[]): Promise<void> {
    const { active, next } = this.#files.get(file) ?? {}
    const version = this.#createVersion(file, sources)
    this.#files.set(file, active === undefined ? { active: version } : { active, next: version })
    await Promise.all([closeVersion(next), ...version.runs.map(run => run.start())])
    version.hasBegun = true
    await this.#activate(file, version)
  }

  /** Ends the sources of a file, and puts the set without theirs. */
  async remove(file: string): Promise<void> {
    const { active, next } = this.#files.get(file) ?? {}
    if (!this.#files.delete(file)) return
    this.#options.put()
    await Promise.all([active, next].map(closeVersion))
  }

  async reload(options: SourceReload): Promise<void> {
    await Promise.all(this.#runs.map(run => run.reload(options)))
  }

  async close(): Promise<void> {
    const versions = [...this.#files.values()].flatMap(({ active, next }) => [active, next])
    this.#files.clear()
    await Promise.all(versions.map(closeVersion))
  }

  get #runs(): readonly SourceRun[] {
    return [...this.#files.values()].flatMap(({ active, next }) => [...(active?.runs ?? []), ...(next?.runs ?? [])])
  }

  #createVersion(file: string, sources: readonly DefinitionSource[]): Version {
    const end = new AbortController()
    const signal = AbortSignal.any([this.#options.signal, end.signal])
    const sets: (readonly Definition[] | undefined)[] = sources.map(() => undefined)
    const runs = sources.map((source, index) => {
      const put = (definitions: readonly Definition[]) => this.#put(file, version, index, definitions)
      const log = this.#options.log.child?.({ source: source.name }) ?? this.#options.log
      return new SourceRun(source, { put, log, signal }, this.#options)
    })
    const version: Version = { runs, sets, end, hasBegun: false }
    return version
  }

  #put(file: string, version: Version, index: number, definitions: readonly Definition[]): PutReport {
    if (version.end.signal.aborted) return EMPTY
    version.sets[index] = definitions
    void this.#activate(file, version)
    if (this.#files.get(file)?.active !== version) return EMPTY
    const own = new Set<unknown>(definitions.map(findRoot))
    const isOwn = ({ definition }: { readonly definition: unknown }) => own.has(findRoot(definition))
    const { served, hidden, withheld, refused } = this.#options.put()
    return {
      served: served.filter(isOwn),
      hidden: hidden.filter(isOwn),
      withheld: withheld.filter(isOwn),
      refused: refused.filter(isOwn),
    }
  }

  /** Serves a version in place of the active one, if it is the next one and has something. */
  async #activate(file: string, version: Version): Promise<void> {
    const { active, next } = this.#files.get(file) ?? {}
    if (next !== version || !version.hasBegun || version.sets.every(set => set === undefined)) return
    this.#files.set(file, { active: version })
    this.#options.put()
    await closeVersion(active)
  }
}

async function closeVersion(version: Version | undefined): Promise<void> {
  version?.end.abort()
  await Promise.all(version?.runs.map(run => run.close()) ?? [])
}
