// Runs isolated tools. Loads the package that does so when a tool first needs it.
import type { Isolate } from '../registry/isolate.ts'
import type { Log } from '../request/exchange.ts'
import type { HandlerErrorLog } from './handler-error-log.ts'
import type { ReportUnhandledError } from './unhandled-errors.ts'

export interface IsolationParts {
  readonly log: Log
  readonly maxResultBytes: number
  readonly reportUnhandledError: ReportUnhandledError
  readonly faults: HandlerErrorLog
}

export interface Isolation {
  readonly isolate: Isolate
  /** Ends its processes. */
  close(): Promise<void>
}

/** Synchronous, since a definition is built in the same call that hands it over. */
export type OpenIsolation = (parts: IsolationParts) => Isolation

/** Opens it for the first isolated tool. */
export function openWhenNeeded(open: OpenIsolation, parts: IsolationParts): Isolation {
  let opened: Isolation | undefined
  return {
    isolate: (definition, module) => {
      opened ??= open(parts)
      return opened.isolate(definition, module)
    },
    close: async () => opened?.close(),
  }
}
