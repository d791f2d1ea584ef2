// What names a caller: for whatever belongs to it, such as sessions, cursors and sealed state.
import type { Caller } from '../request/exchange.ts'

// A caller is remembered for many requests, and what names it is asked for several times in each.
const ownerNames = new WeakMap<Caller, string>()

/** Issuer and subject; undefined where nobody is verified. */
export function getOwner(caller: Caller | undefined): string | undefined {
  if (caller === undefined) return undefined
  let name = ownerNames.get(caller)
  if (name === undefined) ownerNames.set(caller, (name = JSON.stringify([caller.issuer ?? null, caller.subject])))
  return name
}
