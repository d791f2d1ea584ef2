// News of what is served: who publishes does not know who listens. In one process; replicas join here.
import type { ListVersions } from '../session.ts'

export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'updated'; readonly uri: string }

export interface ChangeListener {
  hear(change: Change): void
  /** Nothing will come any more: the server goes down. */
  end(): void
}

export class Changes {
  readonly #listeners = new Set<ChangeListener>()
  readonly #relays: ChangeListener[] = []
  #hasEnded = false
  #versions: ListVersions = Object.freeze({ tools: 0, prompts: 0, resources: 0 })

  /** How often each list has changed. */
  get versions(): ListVersions {
    return this.#versions
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** For one that tells listeners of its own; it counts as none itself. */
  relay(relay: ChangeListener): void {
    this.#relays.push(relay)
  }

  publish(change: Change): void {
    const { kind } = change
    if (kind !== 'updated') this.#versions = Object.freeze({ ...this.#versions, [kind]: this.#versions[kind] + 1 })
    for (const listener of this.#listeners) listener.hear(change)
    for (const relay of this.#relays) relay.hear(change)
  }

  /** @returns how to stop listening */
  subscribe(listener: ChangeListener): () => void {
    if (this.#hasEnded) listener.end()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** From now on who listens is told at once that nothing will come. */
  end(): void {
    this.#hasEnded = true
    for (const listener of this.#listeners) listener.end()
    for (const relay of this.#relays) relay.end()
    this.#listeners.clear()
  }
}
