// Shown in place of a list until it is loaded. Without a connection, it never loads.
import { useStore } from '../client/use-store.ts'
import { useConsole } from './context.ts'

export function ListState() {
  const { connection } = useConsole()
  const { status, problem } = useStore(connection.state)
  if (status !== 'failed') return <p class="empty">Loading</p>
  return (
    <div class="empty">
      <strong>{problem?.title ?? 'Not connected'}</strong>
      <p>There is no connection to the server.</p>
    </div>
  )
}
