// What names a caller: for whatever belongs to it, such as sessions, cursors and sealed state.
import type { Caller } from '../exchange.ts'

// A caller is remembered for many requests, and what names it is asked for several times in each.
const names = new WeakMap<Caller, string>()

/** Issuer and subject; undefined where nobody is verified. */
export function ownerOf(caller: Caller | undefined): string | undefined {
  if (caller === undefined) return undefined
  let name = names.get(caller)
  if (name === undefined) names.set(caller, (name = JSON.stringify([caller.issuer ?? null, caller.subject])))
  return name
}
