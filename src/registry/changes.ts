// Publishes changes of the catalog to listeners in this process and to other replicas.
import type { ListVersions } from '../state/sessions.ts'

export type CatalogChange =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'updated'; readonly uri: string }

const LIST_NAMES = ['tools', 'prompts', 'resources'] as const

export interface ChangeListener {
  onChange(change: CatalogChange): void
  /** The server is shutting down. */
  end(): void
}

export class ChangeEmitter {
  readonly #listeners = new Set<ChangeListener>()
  readonly #relays: ChangeListener[] = []
  #hasEnded = false
  #onPublish: (change: CatalogChange) => void = () => {}
  #versions: ListVersions = Object.freeze({ tools: 0, prompts: 0, resources: 0 })

  /** How often each list has changed. */
  get versions(): ListVersions {
    return this.#versions
  }

  get listenerCount(): number {
    return this.#listeners.size
  }

  /** Adds a listener that forwards to others; it does not count in `listenerCount`. */
  addRelay(relay: ChangeListener): void {
    this.#relays.push(relay)
  }

  /** Sets the function that sends local changes to other replicas. */
  onPublish(announcer: (change: CatalogChange) => void): void {
    this.#onPublish = announcer
  }

  publish(change: CatalogChange): void {
    const { kind } = change
    if (kind !== 'updated') this.#versions = Object.freeze({ ...this.#versions, [kind]: this.#versions[kind] + 1 })
    this.emit(change)
    this.#onPublish(change)
  }

  /** Notifies listeners of a change from another replica. */
  emit(change: CatalogChange): void {
    for (const listener of this.#listeners) listener.onChange(change)
    for (const relay of this.#relays) relay.onChange(change)
  }

  /** Takes over newer versions from another replica, and emits those lists as changed. */
  adoptVersions(versions: ListVersions): void {
    const behind = LIST_NAMES.filter(list => this.#versions[list] < versions[list])
    if (behind.length === 0) return
    const newer = behind.map(list => [list, versions[list]])
    this.#versions = Object.freeze({ ...this.#versions, ...Object.fromEntries(newer) })
    for (const kind of behind) this.emit({ kind })
  }

  /** @returns the function that unsubscribes */
  subscribe(listener: ChangeListener): () => void {
    if (this.#hasEnded) listener.end()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends all listeners, and each later subscriber at once. */
  end(): void {
    this.#hasEnded = true
    for (const listener of this.#listeners) listener.end()
    for (const relay of this.#relays) relay.end()
    this.#listeners.clear()
  }
}
