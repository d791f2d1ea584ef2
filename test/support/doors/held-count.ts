// Limits of requests that are counted elsewhere, and answer when they are let.
import { memory } from '../../../packages/toolrack/state.ts'

export function holdCount() {
  const counting = Promise.withResolvers<void>()
  const take = () => counting.promise.then(() => ({ isAllowed: true, retryAfterMs: 0 }))
  const state = memory()
  return { state: { ...state, requestLimits: Object.assign(state.requestLimits, { take }) }, count: counting.resolve }
}
