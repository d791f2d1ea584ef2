// Names for the definitions of a schema that had identifiers: the name that its author gave, else
// its position. They never contain a counter of a library, so a reload gives the same names.
import { isNode, NAMED, type Node } from './keywords.ts'
import type { SchemaResource } from './references.ts'

/** `Type.Recursive` numbers its schemas in a process: T0, T1, … */
const NUMBERED = /^T\d+$/
const MAX_NAME = 64
const STORES = ['$defs', 'definitions']
/** The last one is from OpenAPI: `#/components/schemas/Pet`. */
const NAMING = [...STORES, 'schemas']

export class DefinitionNames {
  readonly #steps: ReadonlyMap<unknown, Step>
  /** By a name that several definitions want: the number of the last one. */
  readonly #numbers = new Map<string, number>()
  readonly #taken = new Set<string>()
  /** Names of the root's definitions, which they keep. */
  readonly #reserved: ReadonlySet<string>

  constructor(document: Node) {
    this.#steps = findSteps(document)
    this.#reserved = new Set(STORES.flatMap(store => (isNode(document[store]) ? Object.keys(document[store]) : [])))
  }

  /** @returns a name that no other definition has */
  add(schema: unknown, { uri, root }: SchemaResource): string {
    const path = readPath(this.#steps, schema)
    const isOfRoot = path.length === 2 && STORES.includes(path[0]!)
    const wanted = isOfRoot ? path[1]! : findName(schema as Node, schema === root ? uri : '', path)
    const isFree = (name: string) => !this.#taken.has(name) && (isOfRoot || !this.#reserved.has(name))
    let [name, number] = [wanted, this.#numbers.get(wanted) ?? 1]
    while (!isFree(name)) name = `${wanted}-${++number}`
    this.#numbers.set(wanted, number)
    this.#taken.add(name)
    return name
  }
}

function findName({ $id, $anchor, $dynamicAnchor, title }: Node, uri: string, path: readonly string[]): string {
  const inStore = NAMING.includes(path.at(-2)!) ? path.at(-1) : undefined
  // `https://example.com/schemas/order.json` is `order`; in draft-07, `#word` is an anchor.
  const id = uri === '' ? String($id ?? '').replace(/^[^#]*#/, '') : lastPart(uri)
  const ofAuthor = [inStore, NUMBERED.test(id) ? undefined : id, $anchor, $dynamicAnchor, title]
  for (const each of [...ofAuthor, findProperty(path)]) {
    const name = typeof each === 'string' ? toName(each) : ''
    if (name !== '') return name
  }
  return path.length === 0 ? 'root' : 'schema'
}

/** Also for `urn:example:order`. */
const lastPart = (uri: string) =>
  (
    uri
      .replace(/[?#].*$/s, '')
      .replace(/\/$/, '')
      .split(/[/:]/)
      .at(-1) ?? ''
  ).replace(/(?:\.schema)?(?:\.json)?$/, '')

/** The nearest property with a name. */
const findProperty = (path: readonly string[]) => path.findLast((_, index) => NAMED.has(path[index - 1] ?? ''))

/**
 * Characters that need no escape in a reference. Names with `__` at both ends may belong to a
 * prototype.
 */
const toName = (text: string) =>
  decode(text)
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_NAME)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The position of a value: a key of another value. */
interface Step {
  readonly parent: object
  readonly key: string
}

function findSteps(document: Node): ReadonlyMap<unknown, Step> {
  const steps = new Map<unknown, Step>()
  const open: object[] = [document]
  for (const parent of open)
    for (const [key, each] of Object.entries(parent)) {
      if (typeof each !== 'object' || each === null || steps.has(each)) continue
      steps.set(each, { parent, key })
      open.push(each)
    }
  return steps
}

function readPath(steps: ReadonlyMap<unknown, Step>, schema: unknown): readonly string[] {
  const path: string[] = []
  for (let step = steps.get(schema); step !== undefined; step = steps.get(step.parent)) path.push(step.key)
  return path.reverse()
}
