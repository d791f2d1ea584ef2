// Functions from a set of definitions to a set, and a source whose sets go through them.
import { createToolFilter, derive, type InnerTarget, identify, withPin } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import type { Definition, DefinitionSource, SourceTarget, Transform } from 'toolrack/source'

/** Makes a transform, or applies it to a source. */
export interface Transformer<Argument> {
  (argument: Argument): Transform
  (argument: Argument, source: DefinitionSource): DefinitionSource
}

/** A source whose sets go through the transforms, in their order. */
export function transform(source: DefinitionSource, ...transforms: readonly Transform[]): DefinitionSource {
  const apply = (set: readonly Definition[]) => transforms.reduce((each, change) => change(each), set)
  return {
    name: source.name,
    startWithinMs: source.startWithinMs,
    start: target => source.start(transformTarget(target, apply)),
    reload: async options => source.reload?.(options),
    status: () => source.status?.() ?? { isReady: true, problems: [] },
    close: async () => source.close?.(),
  }
}

function transformTarget(target: SourceTarget, apply: Transform): SourceTarget {
  const { findOwner, isWanted } = target as Partial<InnerTarget>
  const inner = findOwner &&
    isWanted && {
      // A transform may make several of one definition: that is hidden if each of them is.
      findOwner: (definition: Definition) => {
        const owners = apply([definition]).map(findOwner)
        return owners.includes(undefined) ? undefined : owners[0]
      },
      isWanted: (definition: Definition) => apply([definition]).some(isWanted),
    }
  return { ...target, put: set => target.put(apply(set)), ...inner }
}

/** Puts a text before the names of tools and prompts: `prefix('crm_')`. */
export const prefix = createTransformer((text: string) =>
  changeEach(definition => (isNamed(definition) ? { name: `${text}${definition.name}` } : undefined)),
)

/** Gives tools and prompts other names: `rename({ old: 'new' })`. */
export const rename = createTransformer((names: Readonly<Record<string, string>>) =>
  changeEach(definition =>
    isNamed(definition) && Object.hasOwn(names, definition.name) ? { name: names[definition.name] } : undefined,
  ),
)

/** Keeps definitions with these names: `pick(['search', 'get_*'])`. Globs match names, of resources too. */
export const pick = createTransformer((globs: readonly string[]): Transform => filterNames(createToolFilter(globs)))

/** Leaves out definitions with these names: `hide(['delete_*'])`. */
export const hide = createTransformer(
  (globs: readonly string[]): Transform => filterNames(createToolFilter(undefined, globs)),
)

/** Replaces descriptions, by name: `describe({ search: 'Finds customers by name.' })`. */
export const describe = createTransformer((texts: Readonly<Record<string, string>>) =>
  changeEach(({ name }) => (Object.hasOwn(texts, name) ? { description: texts[name] } : undefined)),
)

/** Adds scopes that a caller needs: `withScopes(['crm:read'])`. */
export const withScopes = createTransformer((scopes: readonly string[]) =>
  changeEach(({ scopes: own = [] }) => ({ scopes: [...new Set([...own, ...scopes])] })),
)

/** Puts definitions at the head of their list, in this order: `pin(['search'])`. */
export const pin = createTransformer((names: readonly string[]) =>
  deriveEach(definition => {
    const place = names.indexOf(definition.name)
    return place === -1 ? definition : withPin(definition, place)
  }),
)

function createTransformer<Argument>(create: (argument: Argument) => Transform): Transformer<Argument> {
  function apply(argument: Argument): Transform
  function apply(argument: Argument, source: DefinitionSource): DefinitionSource
  function apply(argument: Argument, source?: DefinitionSource) {
    return source === undefined ? create(argument) : transform(source, create(argument))
  }
  return apply
}

/** @param change returns the changed fields; undefined leaves the definition as it is */
const changeEach = (change: (definition: Definition) => object | undefined): Transform =>
  deriveEach(definition => {
    const fields = change(definition)
    return fields === undefined ? definition : derive(definition, fields)
  })

/** Makes the same copy of the same object, so that unchanged definitions are not announced. */
function deriveEach(change: (definition: Definition) => Definition): Transform {
  const known = new WeakMap<Definition, Definition>()
  return definitions =>
    definitions.map(definition => {
      // Left as it is: the catalog refuses it and says why.
      if (!isObject(definition)) return definition
      const derived = known.get(definition) ?? orRefused(() => change(definition))
      known.set(definition, derived)
      return derived
    })
}

const filterNames =
  ({ includes }: { includes(name: string): boolean }): Transform =>
  definitions =>
    definitions.flatMap(definition =>
      orRefused((): Definition | [] => (includes(String(Object(definition).name)) ? definition : [])),
    )

/**
 * A definition that throws when it is read, such as by a getter, is refused alone, with this reason.
 */
function orRefused<T>(make: () => T): T | Definition {
  try {
    return make()
  } catch (thrown) {
    const refused = {
      get handler(): never {
        throw thrown
      },
    }
    return refused as unknown as Definition
  }
}

/** Resources are known by their URIs. */
const isNamed = (definition: Definition) => identify(definition).kind !== 'resource'
