// Requests by tenant, which is a claim of the caller (TENANT_CLAIM).
import { formatClaim } from '../request/claim-keys.ts'
import type { NameCleaner } from './clean-name.ts'
import { type Metrics, UNKNOWN } from './metrics.ts'
import type { RequestEndedListener } from './request-ended.ts'

/** Tenants with metrics of their own in a process; the latest ones share `_OTHER`. */
export const MAX_TENANTS = 200

/** @param claim the name of the claim; a caller without it counts as the tenant '' */
export function countTenants(
  claim: string,
  metrics: Pick<Metrics, 'tenantEnded'>,
  { identity }: Pick<NameCleaner, 'identity'>,
): RequestEndedListener {
  const limitLabel = createLabelLimit(MAX_TENANTS)
  return ({ source, caller, ending: { outcome }, durationMs }) => {
    // The end of a task is none of a request. A stranger has no tenant.
    if (caller === undefined || source === 'task') return
    const tenant = limitLabel(identity(formatClaim(caller, claim) ?? ''))
    metrics.tenantEnded({ tenant, outcome, durationMs: source === 'method' ? durationMs : undefined })
  }
}

/** No tenant can call itself by the name of the rest. */
const ESCAPED_UNKNOWN = UNKNOWN.replace('_', '\\u{5f}')

/** @returns the label itself for the first `max` ones, else `_OTHER` */
function createLabelLimit(max: number): (label: string) => string {
  const known = new Set<string>([''])
  return name => {
    const label = name === UNKNOWN ? ESCAPED_UNKNOWN : name
    if (known.has(label)) return label
    if (known.size > max) return UNKNOWN
    known.add(label)
    return label
  }
}
