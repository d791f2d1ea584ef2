// Calls that take long, told as a warning. What a client takes to answer a question is not the call's.
import type { Exchange } from './exchange.ts'

/** Of a call: its exchange, and how long it has waited for its client. */
export interface Waited {
  readonly exchange: Exchange
  waitedMs(): number
}

const never = () => 0

/** Only where the client can be asked while the request waits. */
export function countWaits(exchange: Exchange): Waited {
  const { ask } = exchange
  if (ask === undefined) return { exchange, waitedMs: never }
  let waitedMs = 0
  return {
    exchange: {
      ...exchange,
      ask: (questions, signal) => {
        const askedMs = performance.now()
        return ask(questions, signal).finally(() => {
          waitedMs += performance.now() - askedMs
        })
      },
    },
    waitedMs: () => waitedMs,
  }
}

const HINT =
  "look at the tool's own upstreams, and whether calls wait for a slot (MAX_CONCURRENT_CALLS); work that takes long can be a task (docs/tools.md)"

export function noteSlow({ params, requestId, log }: Exchange, durationMs: number): void {
  const elapsedMs = Math.round(durationMs)
  log.warn({ requestId, tool: String(params['name']).slice(0, 128), elapsedMs, hint: HINT }, 'slow call')
}
