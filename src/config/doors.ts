// Which doors beside the MCP endpoint are open: by setting, or by default on loopback.
import { isLoopback } from './addresses.ts'

/** The settings that say which doors are open. */
export interface DoorSettings {
  readonly host: string
  readonly mcpPath: string
  readonly plainHttp?: boolean | undefined
  readonly console?: boolean | undefined
}

export interface HostKind {
  /** Registered in an existing app, whose paths are its own. */
  readonly isPlugin: boolean
}

/** Whether plain HTTP has the path. */
export const isPlainHttpPath = (path: string): boolean =>
  path === '/tools' || path.startsWith('/tools/') || path === '/openapi.json'

/** Whether tools can be called by `POST /tools/NAME`: by default not if the endpoint is there. */
export const hasPlainHttp = (settings: DoorSettings, hostKind: HostKind): boolean =>
  settings.plainHttp ?? (isOwn(settings, hostKind) && !isPlainHttpPath(settings.mcpPath))

/** Whether `/console` is served. */
export const hasConsole = (settings: DoorSettings, hostKind: HostKind): boolean =>
  settings.console ?? isOwn(settings, hostKind)

const isOwn = ({ host }: DoorSettings, { isPlugin }: HostKind) => !isPlugin && isLoopback(host)

const isConsolePath = (path: string): boolean => path === '/console' || path.startsWith('/console/')

/** What to set, for the answer at a path of a door that is closed. An app around the server answers itself. */
export function explainClosedDoor(url: string, settings: DoorSettings): string | undefined {
  const path = url.split('?', 1)[0]!
  if (isConsolePath(path) && !hasConsole(settings, OWN)) return 'the console is off; CONSOLE=true turns it on'
  if (isPlainHttpPath(path) && !hasPlainHttp(settings, OWN)) return 'plain HTTP is off; PLAIN_HTTP=true turns it on'
  return undefined
}

const OWN: HostKind = { isPlugin: false }
