// What names a caller: for whatever belongs to it, such as sessions, cursors and sealed state.
import type { Caller } from '../exchange.ts'

/** Issuer and subject; undefined where nobody is verified. */
export function ownerOf(caller: Caller | undefined): string | undefined {
  return caller === undefined ? undefined : JSON.stringify([caller.issuer ?? null, caller.subject])
}
