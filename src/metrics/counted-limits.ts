// A limiter whose decisions are counted.
import type { LimitDecision, LimitRule, Limits, LocalLimits } from '../state/limits.ts'
import type { LimiterName, Metrics } from './metrics.ts'

export function countedLimits(limits: LocalLimits, name: LimiterName, metrics: Metrics): LocalLimits
export function countedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits
export function countedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits {
  function counted(decision: LimitDecision): LimitDecision {
    metrics.limited(name, decision.isAllowed ? 'allowed' : 'limited')
    return decision
  }

  // One that may not pass is turned away by the look alone; one that may is counted when it has passed.
  function looked(decision: LimitDecision): LimitDecision {
    return decision.isAllowed ? decision : counted(decision)
  }

  return {
    take: (key: string, rule: LimitRule) => told(limits.take(key, rule), counted),
    peek: (key: string, rule: LimitRule) => told(limits.peek(key, rule), looked),
  }
}

type Told = (decision: LimitDecision) => LimitDecision
const told = (decision: LimitDecision | Promise<LimitDecision>, tell: Told) =>
  decision instanceof Promise ? decision.then(tell) : tell(decision)
