// Whether a message that came is one of its revision: by the official schema, closed.
import type { WireMessage } from '../wire.ts'
import { wireOf } from '../wire-of.ts'

/** @param asked the method of the request, for a response */
export function faultsOf(message: WireMessage, version: string, asked: string | undefined): string[] {
  try {
    wireOf(version)(message, message.method ?? asked)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
