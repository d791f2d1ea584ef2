// The server, its revision and state, and who the user is.
import { useState } from 'preact/hooks'
import { describeState } from '../client/connection-state.ts'
import { findChoices } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import { SignIn } from '../sign-in/SignIn.tsx'
import { ThemeToggle } from '../theme/ThemeToggle.tsx'
import { useConsole } from './context.ts'

const BADGES = {
  connecting: 'badge',
  connected: 'badge badge-ok',
  reconnecting: 'badge badge-warning',
  failed: 'badge badge-error',
} as const

export function Header() {
  const { config, connection, signIn } = useConsole()
  const state = useStore(connection.state)
  const { status: signedIn } = useStore(signIn.state)
  const [isOpen, open] = useState(false)
  const server = state.server ?? config
  return (
    <header class="header">
      <div class="row spread">
        <p class="server">
          <strong>
            <Visible text={server.title ?? server.name} />
          </strong>{' '}
          <span class="hint">{server.version}</span>
        </p>
        <div class="row">
          <span class={BADGES[state.status]} role="status" data-follows={state.follows}>
            {describeState(state)}
          </span>
          {state.status === 'failed' && (
            <button type="button" class="button button-small" onClick={() => connection.connect()}>
              Reconnect
            </button>
          )}
          <RevisionChoice />
          <ThemeToggle />
          {config.access === 'token' && (
            <button type="button" class="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
              {signedIn === 'signed-in' ? 'Signed in' : 'Sign in'}
            </button>
          )}
        </div>
      </div>
      {isOpen && <SignIn signIn={signIn} />}
    </header>
  )
}

function RevisionChoice() {
  const { config, connection } = useConsole()
  useStore(connection.state)
  return (
    <label class="row">
      <span>Revision</span>
      <select value={connection.choice} onChange={event => void connection.connect(event.currentTarget.value)}>
        {findChoices(config.revisions).map((choice, index) => (
          <option key={choice} value={choice}>
            {choice === 'auto' ? 'Automatic' : index === 1 ? `${choice} (newest)` : choice}
          </option>
        ))}
      </select>
    </label>
  )
}
