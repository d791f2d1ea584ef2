// The action of each key of the table on this page.
import { useStore } from '../client/use-store.ts'
import type { KeyId } from '../keys/keys.ts'
import { useKeys } from '../keys/use-keys.ts'
import { useConsole } from './context.ts'
import { moveInList } from './ListPane.tsx'
import { type Route, SECTIONS, toHash } from './router.ts'

/** A key does the same as a click on this element. */
const CLICKS: Readonly<Partial<Record<KeyId, string>>> = {
  call: '.pane-form .pane-foot .button-primary',
  before: '.pane-result [aria-label="Call before"]',
  after: '.pane-result [aria-label="Call after"]',
}

export function useActions({ section, name }: Route, showKeys: () => void): void {
  const { calls, view } = useConsole()
  useStore(calls.calls)
  const tool = section === 'tools' ? (name ?? view.remember('tools')) : undefined
  const obey = (id: KeyId): boolean => {
    const selector = CLICKS[id]
    if (selector !== undefined) return click(selector)
    if (id.startsWith('tab ')) return click(`.pane-result [role="tab"]:nth-child(${id.slice(4)})`)
    const target = SECTIONS.find(each => id === `go ${each}`)
    if (target !== undefined) {
      window.location.hash = toHash({ section: target })
      return true
    }
    switch (id) {
      case 'keys':
        showKeys()
        return true
      case 'search':
        return focusSearch(() => view.pane.set('list'))
      case 'next':
      case 'previous': {
        const list = document.querySelector('.pane-list')
        if (list !== null) moveInList(list, id === 'next' ? 1 : -1)
        return list !== null
      }
      case 'json':
        return changeTab()
      case 'cancel': {
        const call = tool === undefined ? undefined : calls.find(tool)
        if (call?.status === 'running') calls.cancel(call.id)
        return call?.status === 'running'
      }
      default:
        return false
    }
  }
  useKeys(view.singleKeys, obey)
}

function click(selector: string): boolean {
  const target = document.querySelector<HTMLElement>(selector)
  target?.click()
  return target !== null
}

/** The element with the focus may disappear with the previous tab. */
function changeTab(): boolean {
  const isChanged = click('.pane-form [role="tab"][aria-selected="false"]')
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    document.querySelector<HTMLElement>(`.pane-form [role="tabpanel"] :is(${CONTROLS})`)?.focus()
  })
  return isChanged
}

const CONTROLS = 'input, textarea, select, button'

/** On a phone, the list may be hidden. */
function focusSearch(showList: () => void): boolean {
  const search = document.querySelector<HTMLInputElement>('.work input[type="search"]')
  if (search === null) return false
  if (search.checkVisibility()) search.select()
  else {
    showList()
    requestAnimationFrame(() => search.select())
  }
  return true
}
