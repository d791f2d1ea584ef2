// The sources that a version of a tool file exports. The file serves the definitions that they put.
import type { Definition, DefinitionSource } from 'toolrack'
import {
  assertSet,
  type Built,
  buildSet,
  type Catalog,
  createReport,
  type LoadGuard,
  SourceRun,
} from 'toolrack/definitions'
import type { Log, PutReport, SourceReload, SourceStatus } from 'toolrack/source'

export interface FileSourcesOptions {
  /** The log, with the name of the file. */
  readonly log: Log
  readonly guard: LoadGuard
  readonly catalog: Catalog
  /** @throws RegistrationError */
  build(definition: Definition): Built
  /** Replaces the earlier definitions of all sources. @throws RangeError if there are too many */
  change(before: readonly Built[], now: readonly Built[]): void
  /** Finds who has the same definition already. */
  findOwners(): (built: Built) => string | undefined
}

/** A definition as its source has put it, and as its file serves it. */
interface Put extends Built {
  readonly own: Built
}

/** One of the sources. The first one with a name serves it. */
interface Part {
  readonly source: DefinitionSource
  readonly run: SourceRun
  readonly hasPut: PromiseWithResolvers<true>
  set: readonly Built[]
  /** The reasons why some of its definitions are refused. */
  refused: readonly string[]
}

export class FileSources {
  readonly #options: FileSourcesOptions
  readonly #end = new AbortController()
  readonly #parts: readonly Part[]
  /** The entry of each definition, so that the same definition stays the same entry. */
  readonly #known = new WeakMap<object, Put>()

  constructor(sources: readonly DefinitionSource[], options: FileSourcesOptions) {
    this.#options = options
    this.#parts = sources.map(source => this.#createPart(source))
  }

  /**
   * Resolves once each source has put something, has started or has failed.
   *
   * @throws Error if all have failed
   */
  async start(): Promise<void> {
    const started = await Promise.all(this.#parts.map(({ run, hasPut }) => Promise.race([hasPut.promise, run.begin()])))
    if (!started.includes(true)) throw new Error(this.status().problems.join('; '))
  }

  async reload(options: SourceReload): Promise<void> {
    await Promise.all(this.#parts.map(({ run }) => run.reload(options)))
  }

  status(): SourceStatus {
    return {
      isReady: this.#parts.every(({ run }) => run.isReady),
      problems: this.#parts.flatMap(({ source: { name }, run, refused }) => [
        ...run.problems,
        ...refused.map(reason => `${name}: ${reason}`),
      ]),
    }
  }

  /** Closes all sources. @throws the error of one that failed to close */
  async close(): Promise<void> {
    this.#end.abort()
    const ends = await Promise.allSettled(this.#parts.map(async ({ source }) => source.close?.()))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  #createPart(source: DefinitionSource): Part {
    const { log, guard } = this.#options
    const put = (definitions: readonly Definition[]) => this.#put(part, definitions)
    const target = { put, log: log.child?.({ source: source.name }) ?? log, signal: this.#end.signal }
    const run = new SourceRun(source, target, { log, explain: thrown => guard.explain(thrown) })
    const part: Part = { source, run, hasPut: Promise.withResolvers(), set: [], refused: [] }
    return part
  }

  #put(part: Part, definitions: readonly Definition[]): PutReport {
    const { log, catalog, change, findOwners } = this.#options
    const { name } = part.source
    assertSet(name, definitions)
    if (this.#end.signal.aborted) return { served: [], hidden: [], withheld: [], refused: [] }
    const set = buildSet(definitions, definition => this.#build(definition))
    const listAll = () => this.#parts.flatMap(({ set }) => set)
    const [before, own] = [listAll(), part.set]
    part.set = [...set.built.values()].map(({ own }) => own)
    try {
      change(before, listAll())
    } catch (thrown) {
      part.set = own
      throw thrown
    }
    const reasons = set.refused.map(({ error }) => error.message)
    for (const reason of reasons.filter(each => !part.refused.includes(each)))
      log.error({ source: name, reason }, 'definition of a source refused')
    part.refused = reasons
    part.hasPut.resolve(true)
    const findOwner = findOwners()
    return createReport(set, catalog, {
      findOwner: ({ own }) => findOwner(own),
      isServed: entry => catalog.isWanted(entry),
    })
  }

  #build(definition: Definition): Put {
    const known = this.#known.get(Object(definition))
    if (known !== undefined) return known
    const own = this.#options.build(definition)
    const put: Put = { definition, entry: own.entry, own }
    this.#known.set(definition, put)
    return put
  }
}
