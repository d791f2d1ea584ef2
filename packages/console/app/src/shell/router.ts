// The view that the address names: `#/tools/get_price`.
import { Store } from '../client/store.ts'

export const SECTIONS = ['tools', 'resources', 'prompts', 'tasks', 'activity', 'messages', 'connect'] as const
export type Section = (typeof SECTIONS)[number]

export interface Route {
  readonly section: Section
  /** The tool, prompt or resource. */
  readonly name?: string
}

export function parseRoute(hash: string): Route {
  // The query fills a form, and is not part of a name.
  const [section, name] = hash.replace(/^#?\/?|\?.*$/g, '').split('/')
  const known = SECTIONS.find(each => each === section)
  return { section: known ?? 'tools', ...(known && name && { name: decode(name) }) }
}

/** An address that a user has typed may be malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const toHash = ({ section, name }: Route): string =>
  name === undefined ? `#/${section}` : `#/${section}/${encodeURIComponent(name)}`

export function createRouter(): Store<Route> {
  const route = new Store(parseRoute(window.location.hash))
  window.addEventListener('hashchange', () => route.set(parseRoute(window.location.hash)))
  return route
}
