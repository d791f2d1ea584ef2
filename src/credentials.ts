// What says who calls: the issuers of tokens, other ways of access, and the tokens that tools get on
// behalf of callers. Follows the files that these depend on.
import type { AccessWay } from './auth/access-way.ts'
import { createIssuer } from './auth/create-issuer.ts'
import { type IssuerSpec, Issuers } from './auth/issuers.ts'
import type { Seal } from './auth/seal.ts'
import { acceptsTokens, getIssuerSpecs, hasAccessControl } from './config/access.ts'
import { isSafeUrl } from './config/addresses.ts'
import type { IssuerSource } from './config/issuers.ts'
import { LiveIssuers } from './config/live-issuers.ts'
import type { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import { readSecretFile } from './config/secret-files.ts'
import { optionName, type Settings } from './config/settings.ts'
import { type CallerTokens, noCallerTokens } from './execution/caller-tokens.ts'
import type { LiveSecrets } from './execution/live-secrets.ts'
import type { Mask } from './execution/mask.ts'
import type { Audit } from './observability/audit.ts'
import type { Metrics } from './observability/metrics.ts'
import type { Log } from './request/exchange.ts'
import type { Inflight } from './request/inflight.ts'
import { cutText } from './text/one-line.ts'

/** What `src/compose.ts` brings, by the settings. */
export interface AccessPlan {
  readonly ways: readonly OpenWay[]
  /** Undefined if no issuer is asked: with JWT_SECRET alone, or without tokens. */
  readonly issuerSource?: IssuerSource | undefined
  /** Undefined if tools get no tokens. */
  readonly openCallerTokens?: ((parts: CallerTokenParts) => CallerTokens) | undefined
}

/** Makes a way of access, which is not started yet. @throws ConfigError */
export type OpenWay = (settings: Settings, parts: WayParts) => AccessWay

export interface WayParts extends Pick<Audit, 'record'> {
  /** What the user calls a setting. */
  displayName(name: string): string
  /** Undefined if the settings are only checked. */
  readonly log: Log | undefined
  /** To call after each look at what may have ended: calls of its callers end. */
  onCheck(): void
}

/** For a way that is opened to see whether its settings are right. */
export const createWayCheck = (displayName: WayParts['displayName']): WayParts => ({
  displayName,
  log: undefined,
  record() {},
  onCheck() {},
})

export type CallerTokenParts = Pick<CredentialParts, 'liveSettings' | 'liveSecrets' | 'mask' | 'metrics' | 'audit'>

export interface Credentials {
  /** Undefined if no tokens are accepted. */
  readonly issuers: Issuers | undefined
  /** Undefined if no file names them. */
  readonly liveIssuers: LiveIssuers | undefined
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

export function createCredentials(resolved: ResolvedOptions, parts: CredentialParts): Credentials {
  const { settings } = resolved
  const issuers = createIssuers(settings, parts)
  const liveIssuers = issuers && createLiveIssuers(resolved, issuers, parts)
  const ways = openWays(settings, parts)
  followSecrets(liveIssuers, parts)
  // With neither, the guard would let everybody in.
  if (issuers === undefined && ways.length === 0 && hasAccessControl(settings))
    throw new Error('the settings ask for access control, and nothing was composed that controls it')
  return {
    issuers,
    liveIssuers,
    ways,
    callerTokens: parts.plan.openCallerTokens?.(parts) ?? noCallerTokens,
  }
}

/** Whether what a caller came with has ended since. */
export const createEndCheck =
  ({ ways, issuers }: Pick<Credentials, 'ways' | 'issuers'>) =>
  (caller: object): boolean =>
    ways.some(way => way.hasEnded(caller)) || issuers?.hasEnded(caller) === true

function createIssuers(
  settings: Settings,
  { plan: { issuerSource: source }, resources, liveSecrets, metrics, secretMask: mask, log }: CredentialParts,
): Issuers | undefined {
  if (!acceptsTokens(settings)) return undefined
  const readSecret = (file: string) => {
    const secret = readSecretFile(file)
    liveSecrets.keep(secret)
    return secret
  }
  return new Issuers({
    specs: getIssuerSpecs(settings, { resources, source }),
    create: (spec, onKeyRemoved) =>
      createIssuer(spec, {
        log,
        mask,
        mayAsk: isSafeUrl,
        readSecret,
        openIssuer: source?.open,
        onFetch: metrics.jwksFetched,
        onKeyRemoved,
      }),
  })
}

/** In one line of the audit. */
const MAX_SHOWN_ISSUERS = 20
const MAX_ISSUER_LENGTH = 500

function createLiveIssuers(
  { settings, secretFiles }: ResolvedOptions,
  issuers: Issuers,
  { plan: { issuerSource: source }, resources, liveSettings, audit, log }: CredentialParts,
): LiveIssuers | undefined {
  const { issuersFile: file } = settings
  if (file === undefined && !secretFiles.some(({ name }) => name === 'JWT_SECRET')) return undefined
  const onChange = (specs: readonly IssuerSpec[]) => {
    const names = specs.flatMap(({ rules }) => rules.issuers ?? []).map(name => cutText(name, MAX_ISSUER_LENGTH))
    audit.record({ event: 'issuers-changed', count: specs.length, issuers: names.slice(0, MAX_SHOWN_ISSUERS) })
  }
  const files = file === undefined ? [] : [file]
  const read = () => getIssuerSpecs(liveSettings.current, { resources, source })
  return new LiveIssuers({ issuers, files, read, onChange, log })
}

/** What asks for a secret at each use follows none: the token of the metrics, the secret for exchanges. */
function followSecrets(liveIssuers: LiveIssuers | undefined, { liveSettings, seal }: CredentialParts): void {
  const reseal = () => {
    const { stateSecret, stateSecretPrevious: previous } = liveSettings.current
    if (stateSecret !== undefined) seal.adopt(stateSecret, previous)
  }
  liveSettings
    .follow('JWT_SECRET', () => void liveIssuers?.reload())
    .follow('STATE_SECRET', reseal)
    .follow('STATE_SECRET_PREVIOUS', reseal)
}

const openWays = (settings: Settings, { plan, inflight, audit, log }: CredentialParts): readonly AccessWay[] =>
  plan.ways.map(open => {
    const way = open(settings, {
      displayName: optionName,
      log,
      record: event => audit.record(event),
      onCheck: () => inflight.cancelEnded(caller => way.hasEnded(caller)),
    })
    return way
  })
