// A state as a server starts it, which closes with the test.
import type { FastifyBaseLogger } from 'fastify'
import type { Test } from 'tap'
import { closeState, type State, startState } from '../../src/state/state.ts'
import type { StoreContext } from '../../src/state/store.ts'
import { fakeLog } from './fakes.ts'

/** What a server says to its stores, unless a test says it otherwise. */
export const storeContext = (context: Partial<StoreContext> = {}): StoreContext => ({
  log: fakeLog() as unknown as FastifyBaseLogger,
  sessionTtlMs: 60_000,
  maxConcurrentCalls: 4,
  hasStateSecret: false,
  ...context,
})

export async function started(t: Test, state: State, context: Partial<StoreContext> = {}): Promise<State> {
  const full = storeContext(context)
  t.teardown(() => closeState(state, full.log))
  await startState(state, full)
  return state
}
