// Reads the lists of the server, and reads them again when they change. Reports the changes.
import type { Client } from '@modelcontextprotocol/client'
import type { Lists } from './connection-state.ts'
import { findChange, type ListChange } from './list-changes.ts'
import { describeProblem } from './problem.ts'
import { Store } from './store.ts'

export type ListKind = 'tools' | 'resources' | 'prompts'

export const LIST_KINDS: readonly ListKind[] = ['tools', 'resources', 'prompts']

type Notify = (title: string, text: string, change?: ListChange) => void

export class ListLoader {
  readonly lists = new Store<Lists>({})
  readonly #loading = new Map<ListKind, Promise<void>>()
  readonly #stale = new Set<ListKind>()
  readonly #notify: Notify
  #client: Client | undefined

  constructor(notify: Notify) {
    this.#notify = notify
  }

  /** The lists of the previous client stay until those of this client are read. */
  use(client: Client | undefined): void {
    this.#client = client
  }

  /** Reads every list that the server has. */
  async loadAll(): Promise<void> {
    await Promise.all(LIST_KINDS.map(kind => this.load(kind)))
  }

  /** One load at a time; a change during a load leads to one more. */
  async load(kind: ListKind): Promise<void> {
    if (this.#loading.has(kind)) {
      this.#stale.add(kind)
      return this.#loading.get(kind)
    }
    const client = this.#client
    if (client === undefined) return
    const loading = this.#read(kind, client).catch((error: unknown) => {
      // A reconnect closes the old client, so its requests fail. The user need not know.
      if (client === this.#client) this.#notify(`The ${kind} could not be read.`, describeProblem(error).detail)
    })
    this.#loading.set(kind, loading)
    await loading
    this.#loading.delete(kind)
    if (this.#stale.delete(kind)) await this.load(kind)
  }

  async #read(kind: ListKind, client: Client): Promise<void> {
    if (client.getServerCapabilities()?.[kind] === undefined) {
      this.lists.update(lists => ({ ...lists, ...EMPTY[kind] }))
      return
    }
    const before = this.lists.get()
    const loaded = await READ[kind](client)
    this.lists.update(lists => ({ ...lists, ...loaded }))
    for (const key of Object.keys(loaded) as (keyof Lists)[]) {
      const old = before[key]
      const list = loaded[key]
      const change = old && list && findChange(old, list)
      if (change) this.#notify(`${TITLES[key]} changed.`, summarize(change), change)
    }
  }
}

const FRESH = { cacheMode: 'refresh' } as const

const READ: Readonly<Record<ListKind, (client: Client) => Promise<Lists>>> = {
  tools: async client => ({ tools: (await client.listTools(undefined, FRESH)).tools }),
  resources: async client => ({
    resources: (await client.listResources(undefined, FRESH)).resources,
    templates: (await client.listResourceTemplates(undefined, FRESH)).resourceTemplates,
  }),
  prompts: async client => ({ prompts: (await client.listPrompts(undefined, FRESH)).prompts }),
}

/** The lists of a server without the capability. */
const EMPTY: Readonly<Record<ListKind, Lists>> = {
  tools: { tools: [] },
  resources: { resources: [], templates: [] },
  prompts: { prompts: [] },
}

const TITLES: Readonly<Record<keyof Lists, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Resource templates',
  prompts: 'Prompts',
}

/** "2 added, 1 removed" */
const summarize = (change: ListChange): string =>
  Object.entries(change)
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${names.length} ${verb}`)
    .join(', ')
