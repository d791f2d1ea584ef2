// What the views remember while the page lives: the pane in sight, the searches, and what was open last.
import { Store } from '../client/store.ts'

/** Below 900 px only one pane of a view is seen. */
export type Pane = 'list' | 'form' | 'result'

/** Sections with a list that can be searched. */
export type ListKind = 'tools' | 'resources' | 'prompts'

export class ViewState {
  /** A call sets `result`; who opens something sets `form`. */
  readonly pane = new Store<Pane>('list')
  readonly searches = new Store<Readonly<Partial<Record<ListKind, string>>>>({})
  readonly #last = new Map<ListKind, string>()

  search(kind: ListKind, query: string): void {
    this.searches.update(all => ({ ...all, [kind]: query }))
  }

  /** @param name opened now; without it, the name that was open last */
  remember(kind: ListKind, name?: string): string | undefined {
    if (name !== undefined) this.#last.set(kind, name)
    return this.#last.get(kind)
  }
}
