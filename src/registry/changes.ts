// News of what is served: who publishes does not know who listens. In one process; replicas join here.

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
  #hasEnded = false

  get listeners(): number {
    return this.#listeners.size
  }

  publish(change: Change): void {
    for (const listener of this.#listeners) listener.hear(change)
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
    this.#listeners.clear()
  }
}
