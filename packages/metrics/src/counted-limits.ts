// Wraps a limiter so that its decisions are counted.
import type { Decision } from 'toolrack/records'
import type { LimitDecision, LimitRule, Limits } from 'toolrack/stores'

export function createCountedLimits<L extends Limits>(
  limits: L,
  count: (decision: Decision) => void,
): Pick<L, 'take' | 'peek'> {
  function counted(decision: LimitDecision): LimitDecision {
    count(decision.isAllowed ? 'allowed' : 'limited')
    return decision
  }

  // A denied peek is final and counts; an allowed one is counted by the later take.
  function looked(decision: LimitDecision): LimitDecision {
    return decision.isAllowed ? decision : counted(decision)
  }

  // If the limiter answers at once, so does this.
  return {
    take: (key: string, rule: LimitRule) => mapDecision(limits.take(key, rule), counted),
    peek: (key: string, rule: LimitRule) => mapDecision(limits.peek(key, rule), looked),
  } as Pick<L, 'take' | 'peek'>
}

type MapDecision = (decision: LimitDecision) => LimitDecision
const mapDecision = (decision: LimitDecision | Promise<LimitDecision>, tell: MapDecision) =>
  decision instanceof Promise ? decision.then(tell) : tell(decision)
