// The sources of a server, composed in their order: the first source with a name wins. Each set that
// is put changes the catalog once.
import type { Log } from '../request/exchange.ts'
import { cutText, toOneLine } from '../text/one-line.ts'
import { type Catalog, type CatalogEntry, type Definition, getQualifiedKey, identify } from './catalog.ts'
import { type Built, type BuiltSet, buildSet } from './definition-set.ts'
import { findOrigin } from './derive.ts'
import type { DefinitionSource, PutReport, SourceReload, SourceTarget } from './source.ts'
import type { SourceHost } from './source-host.ts'
import { SourceRun } from './source-run.ts'

/** Most definitions of one source, and of all sources together. */
export const MAX_DEFINITIONS = 10_000
export const MAX_ALL_DEFINITIONS = 20_000

/** Problems that are listed, and their length; the others are only counted. */
const MAX_PROBLEMS = 10
const MAX_PROBLEM_LENGTH = 400

export interface SourcesOptions {
  /** Formats a thrown value as one line without secrets. */
  explain(thrown: unknown): string
  readonly host: SourceHost
}

/** The target of a source that is part of the server. */
export interface InnerTarget extends SourceTarget {
  /** The earlier source, or its file, that has the same definition. */
  findOwner(definition: Definition): string | undefined
  /**
   * Whether it would be served if nothing hid it: it is valid and complete, and the operator wants
   * it.
   */
  isWanted(definition: Definition): boolean
  /** Calls back when a served definition is gone, so that another one may have its name. */
  onFreed(listener: () => void): void
  readonly host: SourceHost
}

/** The definitions that one source has put. */
interface Slot {
  readonly name: string
  set: BuiltSet
  /** Why its latest set was refused as a whole. */
  problem: string | undefined
}

/** The definition that is served, or withheld, under a key. */
interface Winner extends Built {
  readonly slot: Slot
}

type Winners = ReadonlyMap<string, Winner>
type Report = { -readonly [List in keyof PutReport]: PutReport[List][number][] }

/**
 * @param room how many more definitions all sources may have
 * @throws TypeError or RangeError naming the source
 */
export function assertSet(name: string, definitions: readonly unknown[], room = MAX_DEFINITIONS): void {
  if (!Array.isArray(definitions)) throw new TypeError(`${name}: put takes an array of definitions`)
  const max = Math.min(MAX_DEFINITIONS, room)
  if (definitions.length <= max) return
  throw new RangeError(
    `${name}: put ${definitions.length} definitions, and ${max} is the most; what it had before stays`,
  )
}

const EMPTY: BuiltSet = Object.freeze({ built: new Map(), refused: [] })

export class Sources {
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #options: SourcesOptions
  readonly #slots: Slot[] = []
  readonly #runs: SourceRun[] = []
  readonly #end = new AbortController()
  readonly #freedListeners: (() => void)[] = []
  #winners: Winners = new Map()
  /** Removed by the program, until their source puts another definition. */
  readonly #removed = new WeakSet<CatalogEntry>()

  constructor(catalog: Catalog, log: Log, options: SourcesOptions) {
    this.#catalog = catalog
    this.#log = log
    this.#options = options
  }

  /** Adds a source behind the others. It begins with `start`. */
  add(source: DefinitionSource): void {
    const { explain } = this.#options
    this.#runs.push(new SourceRun(source, this.open(source.name), { log: this.#log, explain }))
  }

  /** Adds a place behind the others, for a source that needs no start. */
  open(name: string): InnerTarget {
    const slot: Slot = { name, set: EMPTY, problem: undefined }
    this.#slots.push(slot)
    const log = this.#log.child?.({ source: name }) ?? this.#log
    return {
      put: definitions => this.#put(slot, definitions),
      log,
      signal: this.#end.signal,
      findOwner: definition => this.#findOwner(slot, getQualifiedKey(identify(definition))),
      isWanted: definition => this.#isWanted(definition),
      onFreed: listener => void this.#freedListeners.push(listener),
      host: this.#options.host,
    }
  }

  /**
   * Serves the server's own definitions, behind all sources, whatever tools the operator has chosen.
   */
  putLast(definitions: readonly Definition[]): void {
    this.#catalog.exempt(definitions)
    this.open('the server').put(definitions)
  }

  /** Resolves once each source has started, has failed or has used up its time. */
  async start(): Promise<void> {
    await Promise.all(this.#runs.map(run => run.start()))
  }

  async reload(options: SourceReload): Promise<void> {
    if (this.#end.signal.aborted) return
    await Promise.all(this.#runs.map(run => run.reload(options)))
  }

  async close(): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#runs.map(run => run.close()))
  }

  /** All sources in their order. */
  get all(): readonly DefinitionSource[] {
    return this.#runs.map(({ source }) => source)
  }

  get isReady(): boolean {
    return this.#runs.every(run => run.isReady)
  }

  /** One line each: the first problems, then how many more there are. */
  get problems(): readonly string[] {
    const all = [...this.#slots.flatMap(listProblems), ...this.#runs.flatMap(run => run.problems)]
    const shown = all.slice(0, MAX_PROBLEMS).map(each => cutText(toOneLine(each), MAX_PROBLEM_LENGTH))
    return all.length > shown.length ? [...shown, `and ${all.length - shown.length} more`] : shown
  }

  /** Takes an entry away, until its source puts another definition in its place. */
  remove(entry: CatalogEntry): void {
    this.#removed.add(entry)
    this.#compose()
    // No source has put it.
    if (this.#catalog.isServed(entry)) this.#catalog.change([entry], [])
  }

  #findOwner(slot: Slot, key: string): string | undefined {
    for (const each of this.#slots) {
      if (each === slot) return undefined
      const found = each.set.built.get(key)
      if (found !== undefined && !this.#removed.has(found.entry)) return nameOwner(each, found)
    }
    return undefined
  }

  #build(definitions: readonly Definition[]): BuiltSet {
    return buildSet(definitions, definition => ({ definition, entry: this.#catalog.build(definition) }))
  }

  /** A transform may have made it invalid; then it is refused when it is put. */
  #isWanted(definition: Definition): boolean {
    const { built } = this.#build([definition])
    return [...built.values()].some(({ entry }) => this.#catalog.isWanted(entry))
  }

  #put(slot: Slot, definitions: readonly Definition[]): PutReport {
    if (this.#end.signal.aborted) return { served: [], hidden: [], withheld: [], refused: [] }
    const others = this.#slots.reduce((sum, each) => sum + (each === slot ? 0 : each.set.built.size), 0)
    try {
      assertSet(slot.name, definitions, MAX_ALL_DEFINITIONS - others)
    } catch (thrown) {
      slot.problem = (thrown as Error).message
      this.#log.error({ source: slot.name, reason: slot.problem }, 'set of a source refused')
      throw thrown
    }
    const before = new Set(slot.set.refused.map(({ definition }) => definition))
    slot.set = this.#build(definitions)
    slot.problem = undefined
    for (const { definition, error } of listOwnRefused(slot))
      if (!before.has(definition))
        this.#log.error({ source: slot.name, reason: error.message }, 'definition of a source refused')
    this.#compose()
    const findOwner = ({ entry }: Built) => {
      const winner = this.#winners.get(getQualifiedKey(entry))
      return winner === undefined || winner.slot === slot ? undefined : nameOwner(winner.slot, winner)
    }
    return createReport(slot.set, this.#catalog, { findOwner, isServed: entry => this.#catalog.isServed(entry) })
  }

  /** Finds the winner of each name, and changes the catalog once. */
  #compose(): void {
    const before = this.#winners
    const winners = new Map<string, Winner>()
    for (const slot of this.#slots)
      for (const [key, { definition, entry }] of slot.set.built)
        if (!winners.has(key) && !this.#removed.has(entry)) winners.set(key, { slot, definition, entry })
    this.#winners = winners
    const [gone, come] = [listOthers(before, winners), listOthers(winners, before)]
    if (gone.length + come.length > 0) this.#catalog.change(gone, come)
    if (gone.length > 0) for (const listener of this.#freedListeners) listener()
  }
}

/** @param findOwner returns who serves the same already */
export function createReport<B extends Built>(
  { built, refused }: BuiltSet<B>,
  catalog: Catalog,
  { findOwner, isServed }: { findOwner(built: B): string | undefined; isServed(entry: CatalogEntry): boolean },
): PutReport {
  const report: Report = { served: [], hidden: [], withheld: [], refused: [...refused] }
  for (const each of built.values()) {
    const { definition, entry } = each
    const row = { kind: entry.kind, key: entry.key, definition }
    const by = findOwner(each)
    if (by !== undefined) report.hidden.push({ ...row, by })
    else if (isServed(entry)) report.served.push(row)
    else report.withheld.push({ ...row, needs: catalog.findNeeds(entry) })
  }
  return report
}

/** The entries of `some` that `others` lack, or have from another definition. */
const listOthers = (some: Winners, others: Winners): readonly CatalogEntry[] =>
  [...some].flatMap(([key, { entry }]) => (others.get(key)?.entry === entry ? [] : [entry]))

const nameOwner = ({ name }: Slot, { definition }: Built) => findOrigin(definition)?.file ?? name

/** Without definitions of files: the reader of a file logs and lists its refused ones. */
const listOwnRefused = ({ set }: Slot) => set.refused.filter(({ definition }) => findOrigin(definition) === undefined)

function listProblems(slot: Slot): readonly string[] {
  const refused = listOwnRefused(slot).map(({ error }) => `${slot.name}: ${error.message}`)
  return slot.problem === undefined ? refused : [slot.problem, ...refused]
}
