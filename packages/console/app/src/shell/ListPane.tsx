// The list on the left of a view: its search, its items, and the keys that move in it.
import type { ComponentChildren } from 'preact'
import { memo } from 'preact/compat'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { useConsole } from './context.ts'
import { focusForm } from './focus.ts'
import { Hits, SentenceHits, toPattern } from './Hits.tsx'
import { ListState } from './ListState.tsx'
import type { ListKind } from './view-state.ts'

export interface ListItem {
  readonly key: string
  readonly href: string
  /** In mono: a name, a URI. */
  readonly name: string
  readonly title?: string | undefined
  /** The line below the name. */
  readonly text?: string | undefined
  /** Also searched. */
  readonly description?: string | undefined
  readonly signs?: ComponentChildren
  /** Items of a group are together, in the order of the list. */
  readonly group?: string
}

interface Props {
  readonly kind: ListKind
  readonly title: string
  /** One of it: "tool". */
  readonly one: string
  /** `undefined` until they are loaded. */
  readonly items: readonly ListItem[] | undefined
  readonly current: string | undefined
  /** Shown if the server has none. */
  readonly none: ComponentChildren
}

/** Rows that are drawn at once. More are drawn when the user scrolls. */
const STEP = 100

export function ListPane({ kind, title, one, items, current, none }: Props) {
  const { view } = useConsole()
  const query = useStore(view.searches)[kind] ?? ''
  const found = useMemo(() => filter(items ?? [], query), [items, query])
  const box = useRef<HTMLElement>(null)
  const total = items?.length ?? 0
  return (
    <aside class="pane pane-list" aria-label={`List of ${kind}`} ref={box} onKeyDown={moveByKey}>
      <div class="list-head">
        <div class="row">
          <h2>{title}</h2>
          <span class="count" role="status">
            {query === '' ? total.toLocaleString('en') : `${found.length} of ${total}`}
          </span>
        </div>
        <div class="with-icon search">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            placeholder="Search"
            aria-label={`Search ${kind}`}
            value={query}
            onInput={event => view.search(kind, event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Escape') view.search(kind, '')
              if (event.key === 'Enter') box.current?.querySelector<HTMLElement>('.item')?.click()
            }}
          />
          <kbd class="end hide-phone">/</kbd>
        </div>
      </div>
      <Scroll label={title}>
        {items === undefined && <ListState />}
        {items !== undefined && total === 0 && <div class="empty">{none}</div>}
        {total > 0 && found.length === 0 && (
          <div class="empty">
            <strong>
              No {one} matches “{query}”
            </strong>
            <p>Names, titles and descriptions were searched.</p>
            <div class="row">
              <button type="button" class="button button-s" onClick={() => view.search(kind, '')}>
                Clear<kbd>Esc</kbd>
              </button>
            </div>
          </div>
        )}
        {found.length > 0 && <Items key={query} items={found} current={current} query={query} />}
      </Scroll>
      <p class="hints">
        <span>
          <kbd>/</kbd>search
        </span>
        <span>
          <kbd>J</kbd>
          <kbd>K</kbd>move
        </span>
        <span>
          <kbd>?</kbd>all keys
        </span>
      </p>
    </aside>
  )
}

/** Finds items whose name, title or description contains every word of the query. */
function filter(items: readonly ListItem[], query: string): readonly ListItem[] {
  const words = toWords(query)
  if (words.length === 0) return items
  return items.filter(({ name, title, description }) => {
    const text = `${name}\n${title ?? ''}\n${description ?? ''}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}

const toWords = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

interface ItemsProps {
  readonly items: readonly ListItem[]
  readonly current: string | undefined
  readonly query: string
}

function Items({ items, current, query }: ItemsProps) {
  const at = items.findIndex(({ key }) => key === current)
  const [limit, setLimit] = useState(STEP)
  const shown = items.slice(0, Math.max(limit, at + 1))
  const end = useRef<HTMLButtonElement>(null)
  const pattern = useMemo(() => toPattern(toWords(query)), [query])
  const left = items.length - shown.length
  useEffect(() => {
    if (left === 0) return
    const watch = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) setLimit(shown.length + STEP)
    })
    watch.observe(end.current!)
    return () => watch.disconnect()
  }, [left, shown.length])
  useEffect(() => {
    if (current !== undefined) document.querySelector('.item[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <>
      <ul class="items">
        {shown.map((item, index) => (
          <>
            {item.group !== undefined && item.group !== shown[index - 1]?.group && (
              <li key={`group ${item.group}`} class="items-title">
                {item.group}
              </li>
            )}
            <li key={item.key}>
              <Item item={item} isCurrent={item.key === current} pattern={pattern} />
            </li>
          </>
        ))}
      </ul>
      {left > 0 && (
        <div class="empty">
          <button type="button" class="button button-s" ref={end} onClick={() => setLimit(shown.length + STEP)}>
            {left.toLocaleString('en')} more
          </button>
        </div>
      )}
    </>
  )
}

interface ItemProps {
  readonly item: ListItem
  readonly isCurrent: boolean
  readonly pattern: RegExp | undefined
}

const Item = memo(({ item: { href, name, title, text, signs }, isCurrent, pattern }: ItemProps) => {
  const { view } = useConsole()
  const open = ({ detail: clicks }: MouseEvent) => {
    view.open(clicks === 0)
    // The view does not change, so nothing would move the focus later.
    if (isCurrent && view.takeGoesToForm()) focusForm()
  }
  return (
    <a class="item" href={href} title={title} aria-current={isCurrent ? 'true' : undefined} onClick={open}>
      <code>
        <Hits text={name} pattern={pattern} />
      </code>
      <span class="signs">{signs}</span>
      {text !== undefined && (
        <span class="text">
          <SentenceHits text={text} pattern={pattern} />
        </span>
      )}
    </a>
  )
})

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Arrow keys move in the list, also from its search. */
function moveByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  moveInList(event.currentTarget, step)
}

/** Focuses the item after the one with the focus, else after the current one. */
export function moveInList(list: Element, step: number): void {
  const items = [...list.querySelectorAll<HTMLElement>('.item')]
  const focused = items.indexOf(document.activeElement as HTMLElement)
  const from = focused === -1 ? items.findIndex(item => item.hasAttribute('aria-current')) : focused
  const isFromSearch = focused === -1 && document.activeElement?.matches('input')
  const next = isFromSearch ? (step > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, from + step))
  items[next]?.focus()
}
