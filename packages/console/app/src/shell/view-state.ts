// What the views remember while the page lives: the pane in sight, the searches, and what was open last.
import { keep, readKept } from '../client/kept.ts'
import { Store } from '../client/store.ts'
import { SingleKeys } from '../keys/use-keys.ts'

/** Below 900 px only one pane of a view is seen. */
export type Pane = 'list' | 'form' | 'result'

/** Sections with a list that can be searched. */
export type ListKind = 'tools' | 'resources' | 'prompts'

const perTab = () => sessionStorage

export class ViewState {
  /** A call sets `result`; who opens something sets `form`. */
  readonly pane = new Store<Pane>('list')
  readonly searches = new Store<Readonly<Partial<Record<ListKind, string>>>>({})
  readonly singleKeys = new SingleKeys()
  #goesToForm = false

  search(kind: ListKind, query: string): void {
    this.searches.update(all => ({ ...all, [kind]: query }))
  }

  /** @param name opened now; without it, the name that was open last */
  remember(kind: ListKind, name?: string): string | undefined {
    const key = `open:${kind}`
    if (name === undefined) return readKept(key, perTab)
    keep(key, name, perTab)
    return name
  }

  /** An item of a list was opened. @param isByKey the user goes on by keyboard, in the form */
  open(isByKey: boolean): void {
    this.#goesToForm = isByKey
    this.pane.set('form')
  }

  /** Whether the focus goes to the form, and not to the heading. Asked once after each change of the view. */
  takeGoesToForm(): boolean {
    const goes = this.#goesToForm
    this.#goesToForm = false
    return goes
  }
}
