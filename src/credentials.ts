// What says who calls: the issuers of tokens, the API keys, and the tokens that they are exchanged for.
// Follows the files that these depend on.
import type { ApiKeyChange, ApiKeys } from './auth/api-keys.ts'
import { createIssuer } from './auth/create-issuer.ts'
import { type IssuerSpec, Issuers } from './auth/issuers.ts'
import type { Seal } from './auth/seal.ts'
import { SubjectTokens } from './auth/subject-tokens.ts'
import { TokenEndpoint } from './auth/token-endpoint.ts'
import { acceptsTokens, getIssuerSpecs, openApiKeys } from './config/access.ts'
import { isSafeUrl } from './config/addresses.ts'
import { LiveIssuers } from './config/live-issuers.ts'
import type { LiveSettings } from './config/live-settings.ts'
import type { ResolvedOptions } from './config/options.ts'
import { readSecretFile } from './config/secret-files.ts'
import { optionName, type Settings } from './config/settings.ts'
import { type CallerTokens, createTokenDouble, ExchangedTokens, noCallerTokens } from './execution/caller-tokens.ts'
import type { LiveSecrets } from './execution/live-secrets.ts'
import type { Mask } from './execution/mask.ts'
import type { Audit } from './observability/audit.ts'
import type { Metrics } from './observability/metrics.ts'
import type { Caller, Log } from './request/exchange.ts'
import type { Inflight } from './request/inflight.ts'
import { cutText } from './text/one-line.ts'

export interface Credentials {
  /** Undefined if no tokens are accepted. */
  readonly issuers: Issuers | undefined
  /** Undefined if no file names them. */
  readonly liveIssuers: LiveIssuers | undefined
  /** Undefined without API_KEYS_FILE. */
  readonly apiKeys: ApiKeys | undefined
  /** Undefined if none is exchanged. */
  readonly subjectTokens: SubjectTokens | undefined
  readonly callerTokens: CallerTokens
}

export interface CredentialParts {
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
  const subjectTokens = settings.tokenExchangeClientId === undefined ? undefined : new SubjectTokens()
  const issuers = createIssuers(settings, parts)
  const liveIssuers = issuers && createLiveIssuers(resolved, issuers, parts)
  followSecrets(liveIssuers, parts)
  return {
    issuers,
    liveIssuers,
    apiKeys: createApiKeys(settings, parts),
    subjectTokens,
    callerTokens: createCallerTokens(resolved, subjectTokens, parts),
  }
}

/** Whether what a caller came with has ended since. */
export const createEndCheck =
  ({ apiKeys, issuers }: Pick<Credentials, 'apiKeys' | 'issuers'>) =>
  (caller: object): boolean =>
    apiKeys?.hasEnded(caller) === true || issuers?.hasEnded(caller) === true

function createIssuers(
  settings: Settings,
  { resources, liveSecrets, metrics, secretMask: mask, log }: CredentialParts,
): Issuers | undefined {
  if (!acceptsTokens(settings)) return undefined
  const readSecret = (file: string) => {
    const secret = readSecretFile(file)
    liveSecrets.keep(secret)
    return secret
  }
  return new Issuers({
    specs: getIssuerSpecs(settings, { resources }),
    create: (spec, onKeyRemoved) =>
      createIssuer(spec, {
        log,
        mask,
        mayAsk: isSafeUrl,
        readSecret,
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
  { resources, liveSettings, audit, log }: CredentialParts,
): LiveIssuers | undefined {
  const { issuersFile: file } = settings
  if (file === undefined && !secretFiles.some(({ name }) => name === 'JWT_SECRET')) return undefined
  const onChange = (specs: readonly IssuerSpec[]) => {
    const names = specs.flatMap(({ rules }) => rules.issuers ?? []).map(name => cutText(name, MAX_ISSUER_LENGTH))
    audit.record({ event: 'issuers-changed', count: specs.length, issuers: names.slice(0, MAX_SHOWN_ISSUERS) })
  }
  const files = file === undefined ? [] : [file]
  const read = () => getIssuerSpecs(liveSettings.current, { resources })
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

function createApiKeys(
  { apiKeysFile: file }: Settings,
  { inflight, audit, log }: CredentialParts,
): ApiKeys | undefined {
  if (file === undefined) return undefined
  const recordChange = (change: ApiKeyChange, caller: Caller) =>
    audit.record({ event: `api-key-${change}`, caller, scopes: caller.scopes })
  const apiKeys = openApiKeys({ file, log, onChange: recordChange }, optionName('API_KEYS_FILE'))
  apiKeys.onCheck(() => inflight.cancelEnded(caller => apiKeys.hasEnded(caller)))
  return apiKeys
}

function createCallerTokens(
  { doubles }: ResolvedOptions,
  subjectTokens: SubjectTokens | undefined,
  { liveSettings, liveSecrets, mask, metrics, audit }: CredentialParts,
): CallerTokens {
  const { tokenExchangeUrl: url, jwtIssuer: [issuer] = [], ...settings } = liveSettings.current
  const { tokenExchangeClientId: clientId, tokenExchangeGrant: grant = 'token-exchange' } = settings
  if (doubles?.tokenFor !== undefined) return createTokenDouble(doubles.tokenFor, liveSecrets)
  if (subjectTokens === undefined || clientId === undefined) return noCallerTokens
  // The settings have both or neither.
  const clientSecret = () => liveSettings.current.tokenExchangeClientSecret!
  return new ExchangedTokens({
    endpoint: new TokenEndpoint({ url, issuer, clientId, clientSecret, grant, mayAsk: isSafeUrl }),
    subjectTokens,
    liveSecrets,
    mask,
    count: outcome => metrics.tokenExchanged(outcome),
    record: asked => audit.record({ event: 'token-exchange', ...asked }),
  })
}
