// Whether a message that came is one of its revision: by the official schema, closed.

import { wireOf } from '../support/wire/legacy.ts'
import type { WireMessage } from '../support/wire/modern.ts'

/** @param asked the method of the request, for a response */
export function faultsOf(message: WireMessage, version: string, asked: string | undefined): string[] {
  try {
    wireOf(version)(message, message.method ?? asked)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
