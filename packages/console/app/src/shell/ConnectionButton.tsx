// The state of the connection. It opens the details: endpoint, session, revision, headers of the user.
import { useEffect, useState } from 'preact/hooks'
import type { ConnectionState } from '../client/connection-state.ts'
import { findChoices } from '../client/revisions.ts'
import { useStore } from '../client/use-store.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Icon } from '../parts/Icon.tsx'
import { Popover } from '../parts/Popover.tsx'
import { useConsole } from './context.ts'
import { OwnHeaders } from './OwnHeaders.tsx'

const STATES = {
  connecting: { dot: 'dot', word: 'Connecting' },
  connected: { dot: 'dot dot-ok', word: 'Connected' },
  reconnecting: { dot: 'dot dot-warning', word: 'Reconnecting' },
  failed: { dot: 'dot dot-danger', word: 'Not connected' },
  'signed-out': { dot: 'dot', word: 'Not signed in' },
} as const

export function ConnectionButton() {
  const { connection } = useConsole()
  const state = useStore(connection.state)
  const [isOpen, open] = useState(false)
  const { dot, word } = describe(state)
  return (
    <>
      <button
        type="button"
        class="conn"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-follows={state.follows}
        onClick={() => open(!isOpen)}
      >
        <span class={dot} />
        {word}
        {state.status === 'connected' && <span class="faint num hide-phone">{state.revision}</span>}
        <Icon name="down" size={12} />
      </button>
      {isOpen && (
        <Popover label="Connection" class="conn-popover" onClose={() => open(false)}>
          <Details state={state} />
        </Popover>
      )}
    </>
  )
}

const describe = ({ status, problem }: ConnectionState) =>
  STATES[status === 'failed' && problem?.status === 401 ? 'signed-out' : status]

function Details({ state }: { state: ConnectionState }) {
  const { config, connection } = useConsole()
  const { dot, word } = describe(state)
  const ms = useRoundTrip(state.status)
  return (
    <>
      <div class="row">
        <span class={dot} />
        <strong>{word}</strong>
        {ms !== undefined && <span class="faint num">{ms} ms</span>}
      </div>
      <dl class="facts">
        <dt>Endpoint</dt>
        <dd class="row">
          <code>{config.publicUrl.replace(/^https?:\/\//, '')}</code>
          <CopyButton isIcon text={config.publicUrl} label="Copy the endpoint" />
        </dd>
        <dt>Session</dt>
        <dd>{describeSession(state)}</dd>
      </dl>
      <RevisionChoice state={state} />
      <OwnHeaders />
      <div class="row popover-foot">
        <button type="button" class="button button-s" onClick={() => void connection.connect()}>
          <Icon name="refresh" />
          Reconnect
        </button>
      </div>
    </>
  )
}

function describeSession({ era, session, status }: ConnectionState) {
  if (status !== 'connected') return 'none'
  if (era === 'modern') return 'none, the revision needs none'
  return session === undefined ? 'none, the server gave none' : <code>{session}</code>
}

/**
 * How long the server takes to answer, ms. Requests a file, so that no message of the protocol is
 * needed.
 */
function useRoundTrip(status: ConnectionState['status']): number | undefined {
  const [ms, setMs] = useState<number>()
  useEffect(() => {
    if (status !== 'connected') return setMs(undefined)
    const controller = new AbortController()
    const begin = performance.now()
    fetch(new URL('config.json', document.baseURI), { cache: 'no-store', signal: controller.signal })
      .then(() => setMs(Math.max(1, Math.round(performance.now() - begin))))
      .catch(() => {
        // The state of the connection has the reason.
      })
    return () => controller.abort()
  }, [status])
  return ms
}

function RevisionChoice({ state: { revision } }: { state: ConnectionState }) {
  const { config, connection } = useConsole()
  return (
    <div class="field">
      <div class="field-head">
        <label for="revision">Revision</label>
      </div>
      <select
        id="revision"
        class="select"
        value={connection.choice}
        aria-describedby="revision-hint"
        onChange={event => void connection.connect(event.currentTarget.value)}
      >
        {findChoices(config.revisions).map(choice => (
          <option key={choice} value={choice}>
            {choice === 'auto' ? `Automatic${connection.choice === 'auto' && revision ? `: ${revision}` : ''}` : choice}
          </option>
        ))}
      </select>
      <p class="hint" id="revision-hint">
        To try a tool as an older client sees it
      </p>
    </div>
  )
}
