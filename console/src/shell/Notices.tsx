// Quiet notices: which lists changed.
import { useEffect } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Visible } from '../results/PlainText.tsx'
import { useConsole } from './context.ts'

const SHOWN_MS = 10_000
const MAX_SHOWN = 3

export function Notices() {
  const { connection } = useConsole()
  const notices = useStore(connection.notices)
  const newest = notices.at(-1)?.id
  useEffect(() => {
    if (newest === undefined) return
    const timer = setTimeout(() => connection.dismiss(newest), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [connection, newest])
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.slice(-MAX_SHOWN).map(({ id, text }) => (
        <div key={id} class="notice row spread">
          <span>
            <Visible text={text} />
          </span>
          <button type="button" class="button button-small" onClick={() => connection.dismiss(id)}>
            Dismiss
          </button>
        </div>
      ))}
    </div>
  )
}
