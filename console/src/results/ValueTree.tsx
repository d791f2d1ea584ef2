// A JSON value as a tree that opens by mouse and keyboard. A node makes its children when it opens, so depth is no cost.
import { useState } from 'preact/hooks'
import { Visible } from './PlainText.tsx'
import { describe } from './values.ts'

const STEP = 100
/** Levels that are open at first. */
const OPEN_LEVELS = 2
const MAX_LEAF = 2_000

interface NodeProps {
  readonly name?: string | undefined
  readonly value: unknown
  readonly level: number
}

export const ValueTree = ({ value }: { value: unknown }) => (
  <div class="value-tree">
    <Node value={value} level={0} />
  </div>
)

function Node({ name, value, level }: NodeProps) {
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />
  return <Branch name={name} value={value} level={level} />
}

function Branch({ name, value, level }: NodeProps & { value: object }) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS)
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="hint">
          {Array.isArray(value) ? 'list' : 'object'}, {describe(value)}
        </span>
      </summary>
      {isOpen && <Children value={value} level={level + 1} />}
    </details>
  )
}

function Children({ value, level }: { value: object; level: number }) {
  const [count, setCount] = useState(STEP)
  const keys = Object.keys(value)
  const rest = keys.length - count
  return (
    <ul>
      {keys.slice(0, count).map(key => (
        <li key={key}>
          <Node name={key} value={(value as Record<string, unknown>)[key]} level={level} />
        </li>
      ))}
      {rest > 0 && (
        <li>
          <button type="button" class="button button-small" onClick={() => setCount(count + STEP)}>
            Show {Math.min(rest, STEP)} more of {rest.toLocaleString('en')}
          </button>
        </li>
      )}
    </ul>
  )
}

function Leaf({ name, value }: { name: string | undefined; value: unknown }) {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_LEAF)) : String(value)
  return (
    <span class="leaf">
      <Name name={name} />
      <span class={`value value-${value === null ? 'null' : typeof value}`}>
        <Visible text={text} />
        {typeof value === 'string' && value.length > MAX_LEAF && ` … ${value.length.toLocaleString('en')} characters`}
      </span>
    </span>
  )
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : (
    <span class="name">
      <Visible text={name} />
      {': '}
    </span>
  )
