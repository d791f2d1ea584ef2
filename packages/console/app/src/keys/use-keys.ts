// Handles the keys of the table, wherever the focus is. Single keys do nothing in text inputs and
// dialogs, or if the user has turned them off. WCAG 2.2, 2.1.4.
import { useEffect, useRef } from 'preact/hooks'
import { keep, readKept } from '../client/kept.ts'
import { Store } from '../client/store.ts'
import { findKey, isPrefix, type KeyId, toKeyName } from './keys.ts'

/** A pair is pressed within this time. */
const PAIR_MS = 1_500
const KEPT = 'single-keys'

/** Whether keys without Ctrl work. */
export class SingleKeys extends Store<boolean> {
  constructor() {
    super(readKept(KEPT) !== 'off')
    this.subscribe(() => keep(KEPT, this.get() ? undefined : 'off'))
  }
}

/**
 * @param obey runs the action of a key; false if the key has no use here, so the browser may handle
 *   it
 */
export function useKeys(singleKeys: Store<boolean>, obey: (id: KeyId) => boolean): void {
  const newest = useRef(obey)
  newest.current = obey
  useEffect(() => {
    let before: string | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return
      const hasCtrl = event.ctrlKey || event.metaKey
      const pressed = toKeyName(event.key)
      const isSingle = !hasCtrl && pressed !== 'Esc'
      if (isInDialog(event.target) || (isSingle && (!singleKeys.get() || isTyping(event.target)))) return
      const found = findKey(pressed, hasCtrl, before)
      clearTimeout(timer)
      before = found === undefined && before === undefined && !hasCtrl && isPrefix(pressed) ? pressed : undefined
      timer = setTimeout(() => {
        before = undefined
      }, PAIR_MS)
      if (found !== undefined && newest.current(found.id)) event.preventDefault()
    }
    document.addEventListener('keydown', listen)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('keydown', listen)
    }
  }, [singleKeys])
}

/** Also true if nothing has the focus, while a dialog blocks the page behind it. */
const isInDialog = (target: EventTarget | null): boolean =>
  document.querySelector('dialog:modal') !== null ||
  (target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"], dialog') !== null)

const TYPED = 'textarea, select, [contenteditable], input:not([type="checkbox"], [type="radio"], [type="button"])'

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.matches(TYPED)
