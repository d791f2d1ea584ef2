// Requests by tenant, which is a claim of the caller (TENANT_CLAIM).
import { formatClaim, type RequestOutcome } from 'toolrack/protocol'
import { type NameCleaner, type RequestEndedListener, UNKNOWN } from 'toolrack/records'

/** Tenants of a process with their own metrics; later ones share `_OTHER`. */
export const MAX_TENANTS = 200

export interface TenantEnding {
  /** The label of a tenant; there are few. */
  readonly tenant: string
  readonly outcome: RequestOutcome
  /** Undefined if no method was reached. */
  readonly durationMs: number | undefined
}

/** @param claim the name of the claim; a caller without it counts as the tenant '' */
export function countTenants(
  claim: string,
  count: (ended: TenantEnding) => void,
  { identity }: Pick<NameCleaner, 'identity'>,
): RequestEndedListener {
  const limitLabel = createLabelLimit(MAX_TENANTS)
  return ({ source, caller, ending: { outcome }, durationMs }) => {
    // The end of a task is not a request. Anonymous callers have no tenant.
    if (caller === undefined || source === 'task') return
    const tenant = limitLabel(identity(formatClaim(caller, claim) ?? ''))
    count({ tenant, outcome, durationMs: source === 'method' ? durationMs : undefined })
  }
}

/** A tenant cannot use the name for the others. */
const ESCAPED_UNKNOWN = UNKNOWN.replace('_', '\\u{5f}')

/** @returns the label itself for the first `max` labels, else `_OTHER` */
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
