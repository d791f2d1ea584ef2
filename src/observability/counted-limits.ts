// Wraps a limiter so that its decisions are counted.
import type { LimitDecision, LimitRule, Limits, LocalLimits } from '../state/limits.ts'
import type { LimiterName, Metrics } from './metrics.ts'

export function createCountedLimits(limits: LocalLimits, name: LimiterName, metrics: Metrics): LocalLimits
export function createCountedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits
export function createCountedLimits(limits: Limits, name: LimiterName, metrics: Metrics): Limits {
  function counted(decision: LimitDecision): LimitDecision {
    metrics.limited(name, decision.isAllowed ? 'allowed' : 'limited')
    return decision
  }

  // A denied peek is final and counts; an allowed one is counted by the later take.
  function looked(decision: LimitDecision): LimitDecision {
    return decision.isAllowed ? decision : counted(decision)
  }

  return {
    take: (key: string, rule: LimitRule) => mapDecision(limits.take(key, rule), counted),
    peek: (key: string, rule: LimitRule) => mapDecision(limits.peek(key, rule), looked),
  }
}

type MapDecision = (decision: LimitDecision) => LimitDecision
const mapDecision = (decision: LimitDecision | Promise<LimitDecision>, tell: MapDecision) =>
  decision instanceof Promise ? decision.then(tell) : tell(decision)
