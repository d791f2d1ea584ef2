// The first source: the definitions that the program passes as options, adds and removes.
import type { Log } from '../request/exchange.ts'
import { type Catalog, type Definition, getQualifiedKey, identify } from './catalog.ts'
import { assertNoneRefused, type Built, buildSet } from './definition-set.ts'
import type { SourceTarget } from './source.ts'

export class CodeSource {
  readonly #catalog: Catalog
  readonly #target: Pick<SourceTarget, 'put'>
  readonly #log: Log
  #definitions: ReadonlyMap<string, Definition> = new Map()

  /** @param log gets likely mistakes of tools */
  constructor(catalog: Catalog, target: Pick<SourceTarget, 'put'>, log: Log) {
    this.#catalog = catalog
    this.#target = target
    this.#log = log
  }

  /**
   * Serves the valid definitions. They replace those with the same name.
   *
   * @throws RegistrationError naming the invalid one and why; AggregateError if several are invalid
   */
  add(definitions: readonly Definition[]): void {
    const { built, refused } = buildSet(definitions, definition => this.#build(definition))
    const added = [...built].map(([key, { definition }]): [string, Definition] => [key, definition])
    this.#set(new Map([...this.#definitions, ...added]))
    assertNoneRefused(refused)
  }

  /** @returns whether the program had it */
  remove(what: string | Definition): boolean {
    const rest = new Map(this.#definitions)
    const isKnown = rest.delete(getQualifiedKey(identify(what)))
    if (isKnown) this.#set(rest)
    return isKnown
  }

  #set(definitions: ReadonlyMap<string, Definition>): void {
    this.#target.put([...definitions.values()])
    this.#definitions = definitions
  }

  #build(definition: Definition): Built {
    // The program may have changed the object since it added it.
    this.#catalog.forget(definition)
    const entry = this.#catalog.build(definition)
    if (entry.kind === 'tool' && this.#catalog.isIncluded([entry]))
      this.#catalog.hints.warnOfMistakes(this.#log, entry, definition)
    return { definition, entry }
  }
}
