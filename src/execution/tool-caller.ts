// The caller as a handler sees it.
import type { ToolCaller } from '../registry/handler-context.ts'
import type { Caller } from '../request/exchange.ts'

/** Adds `tokenFor`. It is not enumerable, so copies and logs of the caller stay as they are. */
export function toToolCaller(caller: Caller, tokenFor: ToolCaller['tokenFor']): ToolCaller {
  // An app that verifies callers itself may have its own `tokenFor`.
  if ('tokenFor' in caller) return caller as ToolCaller
  const copy = isPlain(caller)
    ? { ...caller }
    : Object.create(Object.getPrototypeOf(caller), Object.getOwnPropertyDescriptors(caller))
  Object.defineProperty(copy, 'tokenFor', { value: tokenFor })
  return Object.isFrozen(caller) ? Object.freeze(copy) : copy
}

// Copying the members takes a tenth of the time, and a hook reads the caller of every call.
const isPlain = (caller: Caller) => Object.getPrototypeOf(caller) === Object.prototype
