// The questions that a session's client can answer, in the newest revision's shape.
import { deepFreeze, isObject, type JsonObject } from '../protocol/messages.ts'
import type { ClientFeature, Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'

/** There are few combinations, so sessions share them. */
const shared = new Map<string, ClientCapabilities>()

/** The rest of a client's declaration, as it was sent. */
export type Extras = Pick<ClientCapabilities, 'extensions' | 'experimental'>

/** Maximum JSON of extras, bytes: the id of a session may carry them. */
export const MAX_EXTRAS_BYTES = 1024

/** If the extras are too long together, keeps the extensions if those fit. */
export function toClientCapabilities({ clientFeatures }: Revision, declared: JsonObject): ClientCapabilities {
  const features = toCapabilities([...clientFeatures].filter(name => isDeclared(declared, name, clientFeatures)))
  const { extensions, experimental } = declared
  return withExtras(features, [getExtras({ extensions, experimental }), getExtras({ extensions })].find(isShort))
}

const isShort = (extras: Extras | undefined): boolean =>
  extras !== undefined && Buffer.byteLength(JSON.stringify(extras)) <= MAX_EXTRAS_BYTES

/** @returns undefined if there are none */
export function getExtras({ extensions, experimental }: Record<string, unknown>): Extras | undefined {
  if (!isObject(extensions) && !isObject(experimental)) return undefined
  return { ...(isObject(extensions) && { extensions }), ...(isObject(experimental) && { experimental }) }
}

/** Keeps extras as text, whose size is bounded, and parses them at each read. */
export function withExtras(features: ClientCapabilities, extras: Extras | undefined): ClientCapabilities {
  if (extras === undefined) return features
  const capabilities = { ...features }
  for (const [name, value] of Object.entries(extras)) {
    const json = JSON.stringify(value)
    Object.defineProperty(capabilities, name, { enumerable: true, get: () => JSON.parse(json) })
  }
  return Object.freeze(capabilities)
}

export function toCapabilities(names: readonly ClientFeature[]): ClientCapabilities {
  const key = names.join()
  let capabilities = shared.get(key)
  if (capabilities === undefined) shared.set(key, (capabilities = deepFreeze(combine(names))))
  return capabilities
}

function isDeclared(
  { roots, sampling, elicitation }: JsonObject,
  name: ClientFeature,
  askable: ReadonlySet<ClientFeature>,
): boolean {
  switch (name) {
    case 'roots':
      return isObject(roots)
    case 'sampling':
      return isObject(sampling)
    case 'sampling.tools':
      return isObject(sampling) && isObject(sampling['tools'])
    case 'sampling.context':
      // Before sampling had modes, every client that declared it could be asked to add context.
      return isObject(sampling) && (isObject(sampling['context']) || !askable.has('sampling.tools'))
    case 'elicitation.url':
      return isObject(elicitation) && isObject(elicitation['url'])
    case 'elicitation.form':
      // Before modes existed, an empty object meant forms only.
      return isObject(elicitation) && (isObject(elicitation['form']) || !isObject(elicitation['url']))
  }
}

function combine(names: readonly ClientFeature[]): ClientCapabilities {
  const capabilities: Record<string, Record<string, object>> = {}
  for (const name of names) {
    const [kind, mode] = name.split('.') as [string, string | undefined]
    capabilities[kind] = { ...capabilities[kind], ...(mode && { [mode]: {} }) }
  }
  return capabilities
}

export function hasFeature(capabilities: ClientCapabilities, name: ClientFeature): boolean {
  const [kind, mode] = name.split('.') as ['roots' | 'sampling' | 'elicitation', string | undefined]
  const declared: unknown = capabilities[kind]
  return mode === undefined ? declared !== undefined : isObject(declared) && mode in declared
}
