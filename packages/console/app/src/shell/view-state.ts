// State of the views while the page lives: the visible pane, the searches, and the entries that were
// opened last.
import { keep, readKept } from '../client/kept.ts'
import { Store } from '../client/store.ts'
import { SingleKeys } from '../keys/use-keys.ts'

/** Below 900 px, only one pane of a view is visible. */
export type Pane = 'list' | 'form' | 'result'

/** Sections with a list that can be searched. */
export type ListKind = 'tools' | 'resources' | 'prompts'

const perTab = () => sessionStorage

export class ViewState {
  /** A call sets `result`; opening an entry sets `form`. */
  readonly pane = new Store<Pane>('list')
  readonly searches = new Store<Readonly<Partial<Record<ListKind, string>>>>({})
  readonly singleKeys = new SingleKeys()
  #goesToForm = false

  search(kind: ListKind, query: string): void {
    this.searches.update(all => ({ ...all, [kind]: query }))
  }

  /** @param name the entry that is opened now; without it, returns the one that was opened last */
  remember(kind: ListKind, name?: string): string | undefined {
    const key = `open:${kind}`
    if (name === undefined) return readKept(key, perTab)
    keep(key, name, perTab)
    return name
  }

  /**
   * The user has opened an item of a list.
   *
   * @param isByKey whether by keyboard, so that the focus moves to the form
   */
  open(isByKey: boolean): void {
    this.#goesToForm = isByKey
    this.pane.set('form')
  }

  /**
   * Whether the focus moves to the form instead of the heading. Call it once after each change of
   * the view.
   */
  takeGoesToForm(): boolean {
    const goes = this.#goesToForm
    this.#goesToForm = false
    return goes
  }
}
