// What a session's client can be asked: of what it declared, the part that its revision knows.
import { isObject, type JsonObject } from '../protocol/messages.ts'
import type { Askable, Revision } from '../protocol/revisions/index.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'

/** There are few combinations, and sessions share them: what a client declares besides is kept nowhere. */
const shared = new Map<string, ClientCapabilities>()

export function askableOf({ askable }: Revision, declared: JsonObject): ClientCapabilities {
  const names = [...askable].filter(name => isDeclared(declared, name, askable))
  const key = names.join()
  let capabilities = shared.get(key)
  if (capabilities === undefined) shared.set(key, (capabilities = Object.freeze(combine(names))))
  return capabilities
}

function isDeclared(
  { roots, sampling, elicitation }: JsonObject,
  name: Askable,
  askable: ReadonlySet<Askable>,
): boolean {
  switch (name) {
    case 'roots':
      return isObject(roots)
    case 'sampling':
      return isObject(sampling)
    case 'sampling.tools':
      return isObject(sampling) && isObject(sampling['tools'])
    case 'sampling.context':
      // Whoever sampled was asked to add a context, before there were modes.
      return isObject(sampling) && (isObject(sampling['context']) || !askable.has('sampling.tools'))
    case 'elicitation.url':
      return isObject(elicitation) && isObject(elicitation['url'])
    case 'elicitation.form':
      // An empty object says form only: that is how it was written before there were modes.
      return isObject(elicitation) && (isObject(elicitation['form']) || !isObject(elicitation['url']))
  }
}

function combine(names: readonly Askable[]): ClientCapabilities {
  const capabilities: Record<string, Record<string, object>> = {}
  for (const name of names) {
    const [kind, mode] = name.split('.') as [string, string | undefined]
    capabilities[kind] = { ...capabilities[kind], ...(mode && { [mode]: {} }) }
  }
  return capabilities
}
