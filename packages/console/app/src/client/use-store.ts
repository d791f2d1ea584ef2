// Renders a view again when the store's value changes.
import { useSyncExternalStore } from 'preact/compat'
import type { Store } from './store.ts'

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get)
