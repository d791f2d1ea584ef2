// Which questions of a task a client may see: those of which it has declared that it can answer them. Who looks may be
// another client of the same subject than the one that began the task. Spec 2026-07-28: basic/patterns/mrtr.
import { alsoMissing, type InputRequest, missingFor, type RequiredCapabilities } from '../input/capabilities.ts'
import type { ClientRequest } from '../protocol/revisions/index.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import type { Task } from '../task.ts'

export interface Askable {
  /** By their keys. */
  readonly requests: Readonly<Record<string, ClientRequest>>
  /** What the client would have to declare for the others; undefined where there are none. */
  readonly missing: RequiredCapabilities | undefined
}

export function findAskable({ questions }: Task, capabilities: ClientCapabilities): Askable {
  const requests: [string, ClientRequest][] = []
  let missing: RequiredCapabilities | undefined
  for (const [key, { request }] of Object.entries(questions)) {
    // What is open was asked by `ctx`, which knows no other methods.
    const lacking = missingFor(capabilities, request as InputRequest)
    if (lacking === undefined) requests.push([key, request])
    else missing = alsoMissing(missing, lacking)
  }
  return { requests: Object.fromEntries(requests), missing }
}
