// Who calls: the ways of access, and the tokens that tools get on behalf of callers.
import type { AccessWay } from './auth/access-way.ts'
import type { Seal } from './auth/seal.ts'
import { hasAccessControl } from './config/access.ts'
import type { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import type { Settings } from './config/settings.ts'
import { type CallerTokens, noCallerTokens, type SubjectTokens } from './execution/caller-tokens.ts'
import type { LiveSecrets } from './execution/live-secrets.ts'
import type { Mask } from './execution/mask.ts'
import type { Audit } from './observability/audit.ts'
import type { Metrics } from './observability/metrics.ts'
import type { Log } from './request/exchange.ts'
import type { Inflight } from './request/inflight.ts'

/** The parts that `src/compose.ts` loads, by the settings. */
export interface AccessPlan {
  /** In the order in which a credential is offered to them. */
  readonly ways: readonly AccessKind[]
  /** Undefined if tools get no tokens. */
  readonly openCallerTokens?: ((parts: CallerTokenParts) => CallerTokens) | undefined
}

/** A way of access that the settings ask for. */
export interface AccessKind {
  /** @param displayName what the user calls a setting @throws ConfigError */
  check(settings: Settings, displayName: (name: string) => string): void
  /** Makes it; `start` starts it. @throws ConfigError */
  open(settings: Settings, parts: WayParts): AccessWay
}

export interface WayParts extends Pick<CredentialParts, 'resources' | 'liveSettings' | 'liveSecrets' | 'metrics'> {
  readonly audit: Pick<Audit, 'record'>
  /** Hides secrets in log lines. */
  readonly mask: Mask
  readonly log: Log
  /** Undefined if tools get no tokens on behalf of callers. */
  readonly subjectTokens: SubjectTokens | undefined
  /** To call after each look at what may have ended: calls of its callers end. */
  onCheck(): void
}

export type CallerTokenParts = Pick<CredentialParts, 'liveSettings' | 'liveSecrets' | 'mask' | 'metrics' | 'audit'>

export interface Credentials {
  readonly ways: readonly AccessWay[]
  readonly callerTokens: CallerTokens
}

export interface CredentialParts {
  readonly plan: AccessPlan
  /** Paths of doors that clients know as resources of their own. */
  readonly resources: readonly string[]
  readonly liveSettings: LiveSettings
  readonly liveSecrets: LiveSecrets
  readonly inflight: Inflight
  readonly seal: Seal
  readonly audit: Audit
  readonly metrics: Metrics
  readonly mask: Mask
  readonly secretMask: Mask
  readonly log: Log
}

export function createCredentials({ settings }: ResolvedOptions, parts: CredentialParts): Credentials {
  const callerTokens = parts.plan.openCallerTokens?.(parts) ?? noCallerTokens
  const ways = openWays(settings, parts, callerTokens)
  followSecrets(parts)
  // Without one, the guard would let everybody in.
  if (ways.length === 0 && hasAccessControl(settings))
    throw new Error('the settings ask for access control, and nothing was composed that controls it')
  return { ways, callerTokens }
}

function openWays(
  settings: Settings,
  { plan, inflight, secretMask: mask, ...parts }: CredentialParts,
  { subjectTokens }: CallerTokens,
): readonly AccessWay[] {
  return plan.ways.map(({ open }) => {
    const onCheck = () => inflight.cancelEnded(caller => way.hasEnded(caller))
    const way = open(settings, { ...parts, mask, subjectTokens, onCheck })
    return way
  })
}

/** Parts that read a secret at each use follow none: the token of the metrics, the secret for exchanges. */
function followSecrets({ liveSettings, seal }: CredentialParts): void {
  const reseal = () => {
    const { stateSecret, stateSecretPrevious: previous } = liveSettings.current
    if (stateSecret !== undefined) seal.adopt(stateSecret, previous)
  }
  liveSettings.follow('STATE_SECRET', reseal).follow('STATE_SECRET_PREVIOUS', reseal)
}

/** Whether what a caller came with has ended since. */
export const createEndCheck =
  (ways: readonly AccessWay[]) =>
  (caller: object): boolean =>
    ways.some(way => way.hasEnded(caller))

/** Where clients get credentials now. None for API keys alone: nobody issues them to strangers. */
export const listAuthorizationServers = (ways: readonly AccessWay[]): readonly string[] =>
  ways.flatMap(({ authorizationServers = [] }) => authorizationServers)

/** Scopes by their names at the authorization servers. */
export const toClientScopes = (ways: readonly AccessWay[], scopes: readonly string[]): readonly string[] =>
  ways.find(way => way.toClientScopes !== undefined)?.toClientScopes?.(scopes) ?? scopes
