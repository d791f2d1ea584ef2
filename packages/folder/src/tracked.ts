// Counts the runs of entries and hooks. Meanwhile, everything that their file has opened stays open.
import type { ToolHooks } from 'toolrack'
import { type Around, type CatalogEntry, type Prompt, type Resource, RULE_NAMES, type Tool } from 'toolrack/definitions'

/** Counts the calls of one version of a file. */
export interface FileUse {
  begin(): void
  end(): void
}

/** Returns the entry, and counts its calls. */
export function trackEntry<E extends CatalogEntry>(entry: E, use: FileUse): E {
  const members: Record<CatalogEntry['kind'], () => object> = {
    tool: () => ({ onCall: (entry as Tool).onCall.map(hook => track(hook, use)) }),
    prompt: () => trackPrompt(entry as Prompt, use),
    resource: () => trackResource(entry as Resource, use),
  }
  const handler = track(entry.handler as (...args: unknown[]) => unknown, use)
  return Object.freeze({ ...entry, ...members[entry.kind](), handler, use } as CatalogEntry) as E
}

/**
 * Returns the hooks, and counts their runs. Rules of visibility are synchronous, so they are not
 * counted.
 */
export function trackHooks(hooks: ToolHooks, use: FileUse): ToolHooks {
  const around = Object.values(RULE_NAMES).map(names => names.around)
  const given = around.map(name => [name, hooks[name] as Around | undefined] as const)
  const tracked = given.map(([name, hook]) => [name, hook && track(hook, use)] as const)
  return { ...hooks, ...Object.fromEntries(tracked.filter(([, hook]) => hook !== undefined)) }
}

/** Returns the function, and counts its runs. A run may continue when its call has ended. */
function track<A extends unknown[], R>(work: (...args: A) => R | Promise<R>, use: FileUse) {
  return async (...args: A): Promise<R> => {
    use.begin()
    try {
      return await work(...args)
    } finally {
      use.end()
    }
  }
}

function trackPrompt({ arguments: known, onGetPrompt }: Prompt, use: FileUse): object {
  const args = known.map(({ complete, ...argument }) =>
    complete === undefined ? argument : { ...argument, complete: track(complete, use) },
  )
  return { arguments: Object.freeze(args), onGetPrompt: onGetPrompt.map(hook => track(hook, use)) }
}

function trackResource({ complete, onReadResource }: Resource, use: FileUse): object {
  const tracked = Object.entries(complete).map(([name, suggest]) => [name, suggest && track(suggest, use)])
  const hooks = onReadResource.map(hook => track(hook, use))
  return { complete: Object.freeze(Object.fromEntries(tracked)), onReadResource: hooks }
}
