// A list with a search: of tools, resources, prompts.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import { useConsole } from './context.ts'

export interface ListItem {
  readonly key: string
  readonly href: string
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly extra?: ComponentChildren
}

const MAX_SHOWN = 500

/** @param items undefined while they are loaded */
export function List({ items, kind }: { items: readonly ListItem[] | undefined; kind: string }) {
  const [query, search] = useState('')
  if (items === undefined) return <Loading />
  if (items.length === 0) return <p class="hint">This server has no {kind}.</p>
  const words = query.toLowerCase().split(/\s+/)
  const found = items.filter(({ name, title, description }) => {
    const text = `${name} ${title ?? ''} ${description ?? ''}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
  return (
    <>
      <Search kind={kind} total={items.length} found={found.length} query={query} onQuery={search} />
      <ul class="list">
        {found.slice(0, MAX_SHOWN).map(item => (
          <li key={item.key}>
            <Item item={item} />
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && <p class="hint">The first {MAX_SHOWN}. Search for the others.</p>}
    </>
  )
}

interface SearchProps {
  readonly kind: string
  readonly total: number
  readonly found: number
  readonly query: string
  readonly children?: ComponentChildren
  onQuery(query: string): void
}

/** The search of a list, and how much it finds. */
export const Search = ({ kind, total, found, query, children, onQuery }: SearchProps) => (
  <div class="search">
    <input
      type="search"
      aria-label={`Search ${kind}`}
      placeholder={`Search ${kind} ( / )`}
      value={query}
      onInput={event => onQuery(event.currentTarget.value)}
    />
    <span class="hint" role="status">
      {query === '' ? `${total} ${kind}` : `${found} of ${total}`}
    </span>
    {children}
  </div>
)

/** Shown until a list has come. Without a connection it never comes. */
export function Loading() {
  const { connection } = useConsole()
  const { status } = useStore(connection.state)
  return <p class="hint">{status === 'failed' ? 'There is no connection to the server.' : 'Loading…'}</p>
}

function Item({ item: { href, name, title, description, extra } }: { item: ListItem }) {
  const about = description?.split('\n', 1)[0]
  return (
    <>
      <a href={href} class="mono">
        <Visible text={name} />
      </a>
      {title !== undefined && title !== name && (
        <span class="item-title">
          <Visible text={title} />
        </span>
      )}
      {extra}
      {about !== undefined && (
        <p class="hint item-about">
          <Visible text={about} />
        </p>
      )}
    </>
  )
}
