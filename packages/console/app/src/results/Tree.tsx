// A JSON value as a tree for mouse and keyboard. A node creates its children when it opens, so depth
// costs nothing.
import { useState } from 'preact/hooks'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { formatNumber } from './format.ts'
import { countMembers, describe, isNumeric, isScalar } from './values.ts'

const STEP = 100
/** Levels that are open at first. For a list on the second level, only the first two items. */
const OPEN_LEVELS = 2
const OPEN_ITEMS = 2
const MAX_LEAF = 2_000

export const Tree = ({ value }: { value: unknown }) => (
  <ul class="tree" onKeyDown={moveByKey}>
    {isScalar(value) ? <Leaf value={value} /> : <Members value={value as object} level={0} />}
  </ul>
)

interface MembersProps {
  readonly value: object
  readonly level: number
}

function Members({ value, level }: MembersProps) {
  const [count, setCount] = useState(STEP)
  const keys = Object.keys(value)
  const rest = keys.length - count
  const isOpen = (index: number) => level < OPEN_LEVELS && (level === 0 || !Array.isArray(value) || index < OPEN_ITEMS)
  return (
    <>
      {keys.slice(0, count).map((key, index) => (
        <Node
          key={key}
          name={key}
          value={(value as Record<string, unknown>)[key]}
          level={level}
          isItem={Array.isArray(value)}
          opens={isOpen(index)}
        />
      ))}
      {rest > 0 && (
        <li class="leaf">
          <button type="button" class="button button-ghost button-s" onClick={() => setCount(count + STEP)}>
            Show {Math.min(rest, STEP)} more of {formatNumber(rest)}
          </button>
        </li>
      )}
    </>
  )
}

interface NodeProps {
  readonly name: string
  readonly value: unknown
  readonly level: number
  /** Of a list: its name is a number, so its first values describe it. */
  readonly isItem: boolean
  readonly opens: boolean
}

function Node({ name, value, level, isItem, opens }: NodeProps) {
  const [isOpen, setOpen] = useState(opens)
  if (isScalar(value)) return <Leaf name={name} value={value} />
  const node = value as object
  return (
    <li>
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="right" size={12} />
          <span class="k">
            <Visible text={name} />
          </span>
          <span class="size">
            <Visible text={isItem && !isOpen ? describe(node) : countMembers(node)} />
          </span>
        </summary>
        {isOpen && (
          <ul>
            <Members value={node} level={level + 1} />
          </ul>
        )}
      </details>
    </li>
  )
}

function Leaf({ name, value }: { name?: string; value: unknown }) {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_LEAF)) : String(value)
  return (
    <li class="leaf">
      {name !== undefined && (
        <>
          <span class="k">
            <Visible text={name} />
          </span>
          <span class="tok-p">:</span>{' '}
        </>
      )}
      <span class={typeof value === 'string' ? 'tok-s' : isNumeric(value) ? 'tok-n' : 'tok-w'}>
        <Visible text={text} />
      </span>
      {typeof value === 'string' && value.length > MAX_LEAF && (
        <span class="size"> … {formatNumber(value.length)} characters</span>
      )}
    </li>
  )
}

/** Arrow keys move between the nodes, and open and close them. WAI-ARIA: Tree View pattern. */
function moveByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const summary = event.target
  if (!(summary instanceof HTMLElement) || summary.localName !== 'summary') return
  const details = summary.parentElement as HTMLDetailsElement
  const all = [...event.currentTarget.querySelectorAll('summary')]
  const at = all.indexOf(summary)
  const to = {
    ArrowDown: () => all[at + 1],
    ArrowUp: () => all[at - 1],
    Home: () => all[0],
    End: () => all.at(-1),
    ArrowRight: () => (details.open ? all[at + 1] : open(details, true)),
    ArrowLeft: () =>
      details.open ? open(details, false) : details.parentElement?.closest('details')?.querySelector('summary'),
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  to()?.focus()
}

function open(details: HTMLDetailsElement, isOpen: boolean): undefined {
  details.open = isOpen
}
