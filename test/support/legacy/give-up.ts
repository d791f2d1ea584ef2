// A client of HTTP+SSE that stays away: the time in which it may come back, or say where it was, passes at once.
import { mock } from 'node:test'
import type { Test } from 'tap'
import { RECONNECT_WAIT_MS } from '../../../packages/http-sse/src/connections.ts'
import { ASKED_MS } from '../../../packages/http-sse/src/returns.ts'

/** Called before the client leaves, or comes back; until the end of the test. */
export function giveUpAtOnce(t: Test): void {
  const { setTimeout } = globalThis
  const soon = (ms: number | undefined) => (ms === RECONNECT_WAIT_MS || ms === ASKED_MS ? 0 : ms)
  const sooner = (listener: () => void, ms?: number) => setTimeout(listener, soon(ms))
  const { mock: replaced } = mock.method(globalThis, 'setTimeout', sooner as typeof setTimeout)
  t.teardown(() => replaced.restore())
}
