// Opens tokens as a way of access, by JWT_… and ISSUERS_FILE.
import type { AccessKind, WayParts } from 'toolrack/access'
import { acceptsTokens, isSafeUrl, readSecretFile, type Settings } from 'toolrack/settings'
import { cutText } from 'toolrack/text'
import { createIssuer } from './create-issuer.ts'
import { getIssuerSpecs, type IssuerSource } from './issuer-specs.ts'
import { type IssuerSpec, Issuers } from './issuers.ts'
import { LiveIssuers } from './live-issuers.ts'
import { TokenAccess } from './token-access.ts'

/** Loads what the settings ask for: of the flat ones, one with a secret needs nobody to ask. */
export async function loadTokens(settings: Settings): Promise<AccessKind> {
  const source = await loadSource(settings)
  return {
    check: (given, displayName) => void getIssuerSpecs(given, { name: displayName('ISSUERS_FILE'), source }),
    open: (given, parts) => openTokens(given, parts, source),
  }
}

/** Where clients of a server with these settings get their tokens. @throws ConfigError naming ISSUERS_FILE */
export async function readAuthorizationServers(settings: Settings): Promise<readonly string[]> {
  if (!acceptsTokens(settings)) return []
  const { authorizationServers: given } = settings
  return given ?? getIssuerSpecs(settings, { source: await loadSource(settings) }).flatMap(each => each.signInUrls)
}

async function loadSource({ issuersFile, jwtSecret }: Settings): Promise<IssuerSource | undefined> {
  const asksIssuers = issuersFile !== undefined || jwtSecret === undefined
  return asksIssuers ? (await import('./issuer-source.ts')).issuerSource : undefined
}

function openTokens(settings: Settings, parts: WayParts, source: IssuerSource | undefined): TokenAccess {
  const { resources, liveSettings, metrics, subjectTokens } = parts
  const read = () => getIssuerSpecs(liveSettings.current, { resources, source })
  const issuers = createIssuers(read(), parts, source)
  const live = createLiveIssuers(settings, issuers, parts, read)
  liveSettings.follow('JWT_SECRET', () => void live.reload())
  return new TokenAccess({
    description: describe(settings),
    issuers,
    live,
    authorizationServers: settings.authorizationServers,
    onNewToken: isAllowed => metrics.limited('tokens', isAllowed ? 'allowed' : 'limited'),
    onVerified(caller, token, { spec }) {
      // The token endpoint belongs to the issuer of the flat settings.
      if (spec.isExchanged) subjectTokens?.remember(caller, token)
    },
  })
}

function createIssuers(
  specs: readonly IssuerSpec[],
  { liveSecrets, metrics, mask, log }: WayParts,
  source: IssuerSource | undefined,
): Issuers {
  const readSecret = (file: string) => {
    const secret = readSecretFile(file)
    liveSecrets.keep(secret)
    return secret
  }
  const onFetch = metrics.jwksFetched
  const parts = { log, mask, mayAsk: isSafeUrl, readSecret, openIssuer: source?.open, onFetch }
  return new Issuers({ specs, create: (spec, onKeyRemoved) => createIssuer(spec, { ...parts, onKeyRemoved }) })
}

/** In one line of the audit. */
const MAX_SHOWN_ISSUERS = 20
const MAX_ISSUER_LENGTH = 500

function createLiveIssuers(
  { issuersFile: file }: Settings,
  issuers: Issuers,
  { audit, log }: WayParts,
  read: () => readonly IssuerSpec[],
): LiveIssuers {
  const onChange = (specs: readonly IssuerSpec[]) => {
    const names = specs.flatMap(({ rules }) => rules.issuers ?? []).map(name => cutText(name, MAX_ISSUER_LENGTH))
    audit.record({ event: 'issuers-changed', count: specs.length, issuers: names.slice(0, MAX_SHOWN_ISSUERS) })
  }
  return new LiveIssuers({ issuers, files: file === undefined ? [] : [file], read, onChange, log })
}

function describe({ jwtSecret, jwtIssuer, issuersFile }: Settings): string {
  const isOfIssuer = jwtSecret === undefined && jwtIssuer !== undefined
  return [
    ...(jwtSecret === undefined ? [] : ['tokens by JWT_SECRET']),
    ...(isOfIssuer ? [`tokens of ${jwtIssuer.join(' and ')}`] : []),
    ...(issuersFile === undefined ? [] : [`tokens of the issuers in ${issuersFile}`]),
  ].join(', ')
}
