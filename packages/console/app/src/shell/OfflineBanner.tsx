// A banner above the panes while the server is away: the time of the next attempt, and Try now. All
// content stays readable.
import { useEffect, useState } from 'preact/hooks'
import type { ConnectionState } from '../client/connection-state.ts'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { useConsole } from './context.ts'

export function OfflineBanner() {
  const { connection } = useConsole()
  const state = useStore(connection.state)
  if (!isOffline(state)) return null
  return (
    <div class="banner" role="alert" aria-atomic="false">
      <Icon name="alert" />
      <p class="grow">
        <strong>{state.status === 'failed' ? describeFailure(state) : 'The server does not answer.'}</strong>{' '}
        {/* A screen reader announces that the server is away, but not each second. */}
        <span class="muted" aria-live="off">
          <NextTry state={state} /> Your arguments and results stay here.
        </span>
      </p>
      <button type="button" class="button button-s" onClick={() => connection.tryNow()}>
        Try now
      </button>
    </div>
  )
}

/** False if the user has to sign in, since the server answers then. */
const isOffline = ({ status, problem }: ConnectionState): boolean =>
  status === 'reconnecting' || (status === 'failed' && problem?.status !== 401)

const describeFailure = ({ problem }: ConnectionState): string =>
  problem?.status === undefined ? 'The server does not answer.' : `${problem.title}.`

function NextTry({ state: { status, retry, problem } }: { state: ConnectionState }) {
  const now = useSeconds(status === 'reconnecting')
  if (status === 'failed') return <>{problem?.detail}</>
  if (retry === undefined) return null
  const seconds = Math.ceil((retry.at - now) / 1000)
  const which = `the ${toOrdinal(retry.attempt)} of ${retry.of}`
  return <>{seconds > 0 ? `Next try in ${seconds} s, ${which}.` : `Trying now, ${which}.`}</>
}

function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}

const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

const toOrdinal = (count: number): string =>
  `${count}${SUFFIXES[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`
