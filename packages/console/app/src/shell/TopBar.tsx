// The bar at the top: the server, the connection, and the user.
import { describeState } from '../client/connection-state.ts'
import { useStore } from '../client/use-store.ts'
import { Mark } from '../parts/Mark.tsx'
import { Visible } from '../parts/Visible.tsx'
import { ThemeButton } from '../theme/ThemeButton.tsx'
import { AccountButton } from './AccountButton.tsx'
import { ConnectionButton } from './ConnectionButton.tsx'
import { useConsole } from './context.ts'

export function TopBar() {
  const { config, connection } = useConsole()
  const state = useStore(connection.state)
  const { server = config } = state
  return (
    <header class="topbar">
      <a class="brand" href="../">
        <Mark />
        <span class="cut">
          <Visible text={server.title ?? server.name} />
        </span>
        <span class="faint num">{server.version}</span>
      </a>
      <div class="topbar-end">
        <span class="vh" role="status">
          {describeState(state)}
        </span>
        <AccountButton />
        <ConnectionButton />
        <ThemeButton />
      </div>
    </header>
  )
}
