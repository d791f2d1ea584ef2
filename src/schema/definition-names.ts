// Names of the definitions that a schema with identifiers becomes: what its author has called them,
// else where they stand. No counter of a library is in them, so a reload gives the same names.
import { isNode, NAMED, type Node } from './keywords.ts'
import type { SchemaResource } from './references.ts'

/** `Type.Recursive` numbers its schemas in a process: T0, T1, … */
const NUMBERED = /^T\d+$/
const MAX_NAME = 64
const STORES = ['$defs', 'definitions']

export class DefinitionNames {
  readonly #paths: ReadonlyMap<unknown, readonly string[]>
  readonly #taken = new Set<string>()
  /** Those of the root, which keep their names. */
  readonly #reserved: ReadonlySet<string>

  constructor(document: Node) {
    this.#paths = findPaths(document)
    this.#reserved = new Set(STORES.flatMap(store => (isNode(document[store]) ? Object.keys(document[store]) : [])))
  }

  /** @returns a name that no other definition has */
  add(schema: unknown, { uri, root }: SchemaResource): string {
    const path = this.#paths.get(schema) ?? []
    const isOfRoot = path.length === 2 && STORES.includes(path[0]!)
    const wanted = isOfRoot ? path[1]! : findName(schema as Node, schema === root ? uri : '', path)
    const isFree = (name: string) => !this.#taken.has(name) && (isOfRoot || !this.#reserved.has(name))
    let name = wanted
    for (let number = 2; !isFree(name); number++) name = `${wanted}-${number}`
    this.#taken.add(name)
    return name
  }
}

function findName({ $id, $anchor, $dynamicAnchor, title }: Node, uri: string, path: readonly string[]): string {
  const inStore = STORES.includes(path.at(-2)!) ? path.at(-1) : undefined
  // `https://example.com/schemas/order.json` is `order`; in draft-07, `#word` is an anchor.
  const id = uri === '' ? String($id ?? '').replace(/^[^#]*#/, '') : lastPart(uri)
  const ofAuthor = [inStore, NUMBERED.test(id) ? undefined : id, $anchor, $dynamicAnchor, title]
  for (const each of [...ofAuthor, findProperty(path)]) {
    const name = typeof each === 'string' ? toName(each) : ''
    if (name !== '') return name
  }
  return path.length === 0 ? 'root' : 'schema'
}

const lastPart = (uri: string) => /([^/:#?]*?)(?:\.schema)?(?:\.json)?\/?(?:[?#].*)?$/.exec(uri)![1]!

/** The nearest one with a name. */
const findProperty = (path: readonly string[]) => path.findLast((_, index) => NAMED.has(path[index - 1] ?? ''))

/** Characters that need no escape in a reference. Names with `__` at both ends may be of a prototype. */
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

function findPaths(document: Node): ReadonlyMap<unknown, readonly string[]> {
  const paths = new Map<unknown, readonly string[]>()
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return
    paths.set(value, path)
    for (const [key, each] of Object.entries(value)) visit(each, [...path, key])
  }
  visit(document, [])
  return paths
}
