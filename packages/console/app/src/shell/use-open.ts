// The open entry of a section with a list: the one in the address, else the last one, else the first.
import { useEffect, useRef } from 'preact/hooks'
import { useConsole } from './context.ts'
import type { ListKind } from './view-state.ts'

const PHONE = '(max-width: 899px)'

/**
 * @param items `undefined` until they are loaded
 * @returns the key of an item, or the name in the address
 */
export function useOpen(
  kind: ListKind,
  name: string | undefined,
  items: readonly { readonly key: string }[] | undefined,
): string | undefined {
  const { view } = useConsole()
  const last = view.remember(kind)
  const open = name ?? items?.find(({ key }) => key === last)?.key ?? items?.[0]?.key
  const isKnown = items?.some(({ key }) => key === open) === true
  useEffect(() => {
    if (isKnown) view.remember(kind, open)
  }, [view, kind, open, isKnown])
  usePaneOfRoute(name)
  return open
}

/**
 * An open entry first shows its form. Without a name, a phone shows the list, and a wide window
 * shows the last entry.
 */
function usePaneOfRoute(name: string | undefined): void {
  const { view } = useConsole()
  const isFirst = useRef(true)
  useEffect(() => {
    const showsList = name === undefined && (!isFirst.current || window.matchMedia(PHONE).matches)
    isFirst.current = false
    view.pane.set(showsList ? 'list' : 'form')
  }, [view, name])
}
