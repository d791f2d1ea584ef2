// The state of the connection, and what belongs to it: endpoint, session, revision.
import { useState } from 'preact/hooks'
import { findChoices } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { useConsole } from './context.ts'

const STATES = {
  connecting: { dot: 'dot', word: 'Connecting' },
  connected: { dot: 'dot dot-ok', word: 'Connected' },
  reconnecting: { dot: 'dot dot-warning', word: 'Reconnecting' },
  failed: { dot: 'dot dot-danger', word: 'Not connected' },
} as const

export function ConnectionButton() {
  const { connection } = useConsole()
  const { status, revision, follows } = useStore(connection.state)
  const [isOpen, open] = useState(false)
  const { dot, word } = STATES[status]
  return (
    <>
      <button
        type="button"
        class="conn"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-follows={follows}
        onClick={() => open(!isOpen)}
      >
        <span class={dot} />
        {word}
        {status === 'connected' && <span class="faint num hide-phone">{revision}</span>}
        <Icon name="down" size={12} />
      </button>
      {isOpen && (
        <section
          class="popover conn-popover"
          role="dialog"
          aria-label="Connection"
          onKeyDown={event => event.key === 'Escape' && open(false)}
        >
          <RevisionChoice />
          <button type="button" class="button button-s" onClick={() => connection.connect()}>
            Reconnect
          </button>
        </section>
      )}
    </>
  )
}

function RevisionChoice() {
  const { config, connection } = useConsole()
  return (
    <label class="row">
      <span>Revision</span>
      <select
        class="input"
        value={connection.choice}
        onChange={event => void connection.connect(event.currentTarget.value)}
      >
        {findChoices(config.revisions).map((choice, index) => (
          <option key={choice} value={choice}>
            {choice === 'auto' ? 'Automatic' : index === 1 ? `${choice} (newest)` : choice}
          </option>
        ))}
      </select>
    </label>
  )
}
