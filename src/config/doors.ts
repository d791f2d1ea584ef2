// Which doors settings open, and which paths are taken. src/compose.ts alone knows doors by name.
import { isLoopback } from './addresses.ts'

export interface HostKind {
  /** Registered in an existing app, whose paths are its own. */
  readonly isPlugin: boolean
}

/** Whether doors are open by default that only this machine reaches. */
export const isLocalServer = ({ host }: { readonly host: string }, { isPlugin }: HostKind): boolean =>
  !isPlugin && isLoopback(host)

/** @param paths with a slash at the end of those that have all below them: `/tools`, `/tools/` */
export const hasPath = (paths: readonly string[], path: string): boolean =>
  paths.some(each => (each.endsWith('/') ? path.startsWith(each) : path === each))
