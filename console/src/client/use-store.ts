// Renders a view again when a store's value changes.
import { useEffect, useState } from 'preact/hooks'
import type { Store } from './store.ts'

export function useStore<T>(store: Store<T>): T {
  const [, render] = useState({})
  useEffect(() => {
    render({})
    return store.subscribe(() => render({}))
  }, [store])
  return store.get()
}
