// Quiet notices at the bottom right: changed lists, and errors outside of calls.
import { useEffect, useState } from 'preact/hooks'
import type { Notice } from '../client/connection-state.ts'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { useConsole } from './context.ts'

const SHOWN_MS = 8_000
const MAX_SHOWN = 3
const MAX_NAMES = 50

export function Notices() {
  const { connection } = useConsole()
  const notices = useStore(connection.notices)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notices.slice(-MAX_SHOWN).map(notice => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function Toast({ notice: { id, title, text, change } }: { notice: Notice }) {
  const { connection } = useConsole()
  const [isHeld, hold] = useState(false)
  const [isOpen, open] = useState(false)
  const isReading = isHeld || isOpen
  useEffect(() => {
    if (isReading) return
    const timer = setTimeout(() => connection.dismiss(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [connection, id, isReading])
  return (
    <div
      class="toast"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      <p>
        <strong>{title}</strong>{' '}
        <span class="muted">
          <Visible text={text} />
        </span>
      </p>
      <div class="row">
        {change !== undefined && (
          <button
            type="button"
            class="button button-ghost button-s"
            aria-expanded={isOpen}
            onClick={() => open(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </button>
        )}
        <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => connection.dismiss(id)}>
          <Icon name="x" />
        </button>
      </div>
      {isOpen && change !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
        <div class="toast-names" tabIndex={0} role="group" aria-label="Names">
          <dl>
            {Object.entries(change).map(([verb, names]) => names.length > 0 && <Names verb={verb} names={names} />)}
          </dl>
        </div>
      )}
    </div>
  )
}

const Names = ({ verb, names }: { verb: string; names: readonly string[] }) => (
  <div>
    <dt>{verb}</dt>
    {names.slice(0, MAX_NAMES).map(name => (
      <dd key={name}>
        <code>
          <Visible text={name} />
        </code>
      </dd>
    ))}
    {names.length > MAX_NAMES && <dd>and {names.length - MAX_NAMES} more</dd>}
  </div>
)
