// What doors that ship get beside the context of every door.
import type { ResolvedOptions } from '../../src/config/options.ts'
import type { DoorContext } from '../../src/doors/door.ts'
import type { Runtime } from '../../src/runtime.ts'

export interface Internals {
  readonly runtime: Runtime
  readonly resolved: ResolvedOptions
}

const INTERNALS = Symbol('internals')

export const withInternals = (context: DoorContext, internals: Internals): DoorContext =>
  Object.assign(context, { [INTERNALS]: internals })

export const readInternals = (context: DoorContext): Internals =>
  (context as DoorContext & { readonly [INTERNALS]: Internals })[INTERNALS]
