// What doors that ship get beside the context of every door.
import type { ResolvedOptions } from '../src/config/options.ts'
import type { Runtime } from '../src/runtime.ts'

export interface Internals {
  readonly runtime: Runtime
  readonly resolved: ResolvedOptions
}

const INTERNALS = Symbol('internals')

export const withInternals = <T extends object>(context: T, internals: Internals): T =>
  Object.assign(context, { [INTERNALS]: internals })

export const readInternals = (context: object): Internals => (context as { readonly [INTERNALS]: Internals })[INTERNALS]
