// Masks text that leaves the server: configured secrets, tokens, credentials in URLs, and paths.
import { NAMES_IN_TEXTS } from '../text/secret-names.ts'
import { CREDENTIAL_RULES } from '../text/url-credentials.ts'
import type { LiveSecrets } from './live-secrets.ts'

/** Secret formats by issuer, as parts of a regular expression with bounded work. */
const FORMATS: readonly (readonly [issuer: string, ...formats: string[]])[] = [
  ['1Password', 'ops_eyJ[A-Za-z0-9_-]{40,}', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,4}[A-Z0-9]{5}'],
  ['age', 'AGE-SECRET-KEY-1[A-Z0-9]{20,}'],
  ['Airtable', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['Alibaba', 'LTAI[A-Za-z0-9]{12,}'],
  [
    'Anthropic, Clerk, DeepSeek, ElevenLabs, Langfuse, OpenAI, OpenRouter, Stripe',
    '(?:sk|rk|pk)[-_][-_A-Za-z0-9]{11,}',
  ],
  ['Atlassian', 'AT[AC]TT3[A-Za-z0-9_=-]{20,}', 'ATBB[A-Za-z0-9_=-]{20,}'],
  ['AWS', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}', 'ABSK[A-Za-z0-9+/]{40,}=*', 'bedrock-api-key-[A-Za-z0-9+/=]{20,}'],
  [
    'Azure',
    '[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9+/=]{10,}',
    '[A-Za-z0-9+/]{30,80}(?:AzFu|AzSe|AzCa|\\+ASt|ACDb|AIoT)[A-Za-z0-9+/]{5,}=*',
  ],
  ['Azure, of an application', '[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}'],
  ['Brave', 'BSA[A-Za-z0-9_-]{27,}'],
  ['Buildkite', 'bk[uart]a?_[A-Za-z0-9]{20,}'],
  ['CircleCI', 'CCI(?:PAT|PRJ)_[A-Za-z0-9_]{20,}'],
  ['Contentful', 'CFPAT-[A-Za-z0-9_-]{20,}'],
  ['Databricks', 'dapi[a-f0-9]{32}', 'dose[a-f0-9]{32}', 'dkea[a-f0-9]{32}'],
  ['DigitalOcean', 'do[oprt]_v1_[a-f0-9]{20,}'],
  ['Discord', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}'],
  ['Docker', 'dckr_[po]at_[A-Za-z0-9_-]{20,}'],
  ['Doppler', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{20,}'],
  ['Dropbox', 'sl\\.[A-Za-z0-9_-]{60,}'],
  ['Dynatrace', 'dt0[a-z]{1}[0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{60,}'],
  ['Facebook', 'EAA[A-Za-z0-9]{40,}'],
  ['Figma', 'fig[doru]{1,2}_[A-Za-z0-9_-]{20,}'],
  ['Firecrawl', 'fc-[a-f0-9]{32}'],
  ['Fly.io', 'fo1_[A-Za-z0-9_-]{40,}', 'fm[12][ar]?_[A-Za-z0-9+/=_-]{40,}'],
  ['GitHub', 'gh[oprsu]_[A-Za-z0-9_]{12,}', 'github_pat_[A-Za-z0-9_]{12,}'],
  [
    'GitLab',
    'gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{12,}',
    'GR1348941[A-Za-z0-9_-]{20}',
  ],
  [
    'Google',
    'AIza[A-Za-z0-9_-]{12,}',
    'ya29\\.[A-Za-z0-9_-]{20,}',
    'GOCSPX-[A-Za-z0-9_-]{20,}',
    '1//0[A-Za-z0-9_-]{20,}',
  ],
  ['Grafana', 'gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}', 'eyJrIjoi[A-Za-z0-9]{20,}={0,2}'],
  ['Groq', 'gsk_[A-Za-z0-9]{20,}'],
  ['HashiCorp', 'hv[bsr]\\.[A-Za-z0-9_-]{20,}', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{40,}'],
  ['Heroku', 'HRKU-[A-Za-z0-9_-]{20,}'],
  ['Hugging Face', 'hf_[A-Za-z0-9]{20,}', 'api_org_[A-Za-z0-9]{20,}'],
  ['JFrog', 'AKCp[A-Za-z0-9]{60,}', 'cmVmd[A-Za-z0-9]{50,}'],
  ['LangSmith', 'lsv2_[a-z]{2}_[A-Za-z0-9_]{20,}'],
  ['Linear', 'lin_(?:api|oauth)_[A-Za-z0-9]{20,}'],
  ['Mailchimp, Mailgun', '[a-f0-9]{32}-us[0-9]{1,2}', 'key-[a-f0-9]{32}'],
  ['Neon', 'napi_[a-z0-9]{20,}'],
  ['Netlify', 'nf[a-z]_[A-Za-z0-9]{20,}'],
  ['New Relic', 'NR(?:AK|AL|II|IQ|RA|JS|BR|SP)-[A-Za-z0-9_-]{18,}'],
  ['Notion', 'ntn_[A-Za-z0-9]{20,}', 'secret_[A-Za-z0-9]{40,}'],
  ['npm', 'npm_[A-Za-z0-9]{20,}'],
  ['NuGet', 'oy2[a-z0-9]{43}'],
  ['Perplexity', 'pplx-[A-Za-z0-9]{20,}'],
  ['Pinecone', 'pcsk_[A-Za-z0-9_]{20,}'],
  ['PlanetScale', 'pscale_[a-z]{2,6}_[A-Za-z0-9_.=-]{20,}'],
  ['PostHog', 'ph[csx]_[A-Za-z0-9]{20,}'],
  ['Postman', 'PMAK-[A-Za-z0-9-]{20,}'],
  ['Prefect', 'pn[ub]_[A-Za-z0-9]{20,}'],
  ['Pulumi', 'pul-[a-f0-9]{32,}'],
  ['PyPI', 'pypi-[A-Za-z0-9_-]{20,}'],
  ['Render', 'rnd_[A-Za-z0-9]{20,}'],
  ['Replicate', 'r8_[A-Za-z0-9_-]{20,}'],
  ['RubyGems', 'rubygems_[a-f0-9]{20,}'],
  ['SendGrid', 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}'],
  ['Sendinblue', 'x(?:key|smtp)sib-[a-f0-9]{20,}[A-Za-z0-9-]*'],
  ['Sentry', 'sntry[su]_[A-Za-z0-9+/=_-]{20,}'],
  ['Shippo', 'shippo_(?:live|test)_[a-f0-9]{20,}'],
  ['Shopify', 'shp[a-z]{2}_[a-fA-F0-9]{20,}'],
  ['Slack', 'x(?:ox[a-z]|app)(?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}'],
  ['Sourcegraph', 'sgp_[A-Za-z0-9_]{20,}'],
  ['Square', 'sq0[a-z]{3}-[A-Za-z0-9_-]{20,}'],
  ['Stripe, of webhooks', 'whsec_[A-Za-z0-9+/=]{16,}'],
  ['Supabase', 'sbp_[a-f0-9]{20,}', 'sb_secret_[A-Za-z0-9_-]{16,}'],
  ['Tailscale', 'tskey-[a-z]{2,20}-[A-Za-z0-9-]{16,}'],
  ['Tavily', 'tvly-[A-Za-z0-9_-]{16,}'],
  ['Telegram', '(?:bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'],
  ['Tencent', 'AKID[A-Za-z0-9]{28,}'],
  ['Toolrack', 'trk_[a-z0-9]{4,32}_[a-f0-9]{12,}'],
  ['Twilio', 'SK[a-f0-9]{32}'],
  ['Typeform', 'tfp_[A-Za-z0-9_=.-]{40,}'],
  ['Vercel', 'vc[a-z]_[A-Za-z0-9]{20,}', 'vercel_blob_rw_[A-Za-z0-9_]{20,}'],
  ['xAI', 'xai-[A-Za-z0-9]{20,}'],
  ['Yandex', 'AQVN[A-Za-z0-9_-]{30,}', 'y[0-3]_[A-Za-z0-9_-]{50,}', 't1\\.[A-Z0-9a-z_-]+={0,2}\\.[A-Za-z0-9_-]{80,}'],
]

/** Matches a secret that does not start inside a longer word. */
const SECRET_FORMATS = new RegExp(`(?<![A-Za-z0-9])(?:${FORMATS.flatMap(([, ...formats]) => formats).join('|')})`, 'g')

/** Replaces a secret. */
export const SECRET = '[secret]'

export interface Mask {
  (text: string): string
  /** Length of the longest known secret, characters; 0 if there is none. */
  readonly longest?: number
}

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6

type Rule = readonly [RegExp, string]

// Every rule takes linear time, since clients choose much of the text.
const KEYS: readonly Rule[] = [
  [
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:(?!-{4})[\s\S]){0,20000}(?:-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5})?/g,
    SECRET,
  ],
  [/(Private-Lines: ?\d{1,4})(?:(?!Private-MAC)[\s\S]){0,20000}(?:Private-MAC: ?\S+)?/g, `$1 ${SECRET}`],
  // Private members of a JWK (RFC 7518, 6).
  [/(\\?["'](?:d|k|p|q|dp|dq|qi)\\?["']\s?:\s?\\?["'])[\w-]{40,}/g, `$1${SECRET}`],
]

const ADDRESSES: readonly Rule[] = [
  ...CREDENTIAL_RULES,
  [/([?&;](?:sig|signature|x-(?:amz|goog)-signature)=)[^\s"'&#;]{6,}/gi, `$1${SECRET}`],
  [/([?&;](?:code|key|hmac)=)[^\s"'&#;]{16,}/gi, `$1${SECRET}`],
  [
    /((?:hooks\.slack|\.webhook\.office)\.com\/|discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[^\s'"<>()]+/gi,
    `$1${SECRET}`,
  ],
]

const HEADERS: readonly Rule[] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 [token]'],
  [/\b(authorization\\?["']?\s?[:=]\s?\\?["']?[a-z][\w-]{1,30}\s)(?=[^\s"']{0,500}[\d=])[^\s"',[]{6,}/gi, '$1[token]'],
  [/\b(cookie\\?["']?\s?:\s?\\?["']?)[^\s=;"']{1,100}=[^"'\r\n]{3,}/gi, `$1${SECRET}`],
  [/(?<![\w-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}/g, '[token]'],
]

const SHAPED: readonly Rule[] = [...KEYS, ...ADDRESSES, ...HEADERS, [SECRET_FORMATS, SECRET]]

const createNamedPattern = (sign: string, value: string) => new RegExp(`(${NAMES_IN_TEXTS}${sign})${value}`, 'gi')

const SECRETS: readonly Rule[] = [
  ...SHAPED,
  // Quoted values, up to the closing quote.
  [
    createNamedPattern(String.raw`\\?["']?\s?[=:]\s?(\\?["'])`, String.raw`(?:(?!\2)(?:\\.|[^\\\r\n])){3,20000}`),
    `$1${SECRET}`,
  ],
  [createNamedPattern(String.raw`\\?["']?\s*(?:[=:]|%3D)\s*`, String.raw`[^\s"'&,;\\]{3,}`), `$1${SECRET}`],
  [new RegExp(`(?<![\\w-])(--?(?:[a-z]{1,20}[-_]){0,3}${NAMES_IN_TEXTS}\\s)(?!-)[^\\s"']{3,}`, 'gi'), `$1${SECRET}`],
  [/\b(login\s\S{1,200}\spassword\s)\S{3,}/g, `$1${SECRET}`],
]

const PATHS: readonly Rule[] = [
  [/\bfile:\/\/\/[^\s'"<>()]+/gi, '[path]'],
  [/(?<![\w./\\-])\/(?:[^\s/\\'"`<>()[\]{}|:;,*?]+\/)+[^\s/\\'"`<>()[\]{}|:;,*?]*/g, '[path]'],
  [/(?<![\w./\\-])\/(?:etc|home|root|tmp|usr|var|opt|proc|sys|dev|srv|mnt|app)\b[\w.@+~-]*/g, '[path]'],
  [/(?<![\w/])(?:[A-Za-z]:|\\\\[\w.$-]+)\\[^\s'"<>|:*?]+/g, '[path]'],
]

/**
 * @param secrets values that must never be shown, also when their whitespace is collapsed
 * @param live more of them, which come and go
 */
export const createMask = (secrets: readonly string[], live?: LiveSecrets): Mask =>
  buildMask(secrets, [...SECRETS, ...PATHS], live)

/** Like `createMask`, but keeps paths, for readers who need them. */
export const createSecretMask = (secrets: readonly string[], live?: LiveSecrets): Mask =>
  buildMask(secrets, SECRETS, live)

/** For load errors, which may name a setting: keeps values after a word such as "token". */
export const createLoadMask = (secrets: readonly string[], live?: LiveSecrets): Mask => buildMask(secrets, SHAPED, live)

function buildMask(secrets: readonly string[], rules: readonly Rule[], live?: LiveSecrets): Mask {
  const find = createForms(secrets, live)
  const mask = (text: string) => {
    let masked = live === undefined ? text : live.replaceIn(text, SECRET)
    for (const secret of find()) masked = masked.replaceAll(secret, SECRET)
    for (const [pattern, replacement] of rules) masked = masked.replace(pattern, replacement)
    return masked
  }
  return Object.defineProperty(mask, 'longest', { get: () => Math.max(find()[0]?.length ?? 0, live?.longest ?? 0) })
}

/** How secrets stand in texts, the longest first. */
function createForms(secrets: readonly string[], live?: LiveSecrets): () => readonly string[] {
  let kept = live?.kept
  let forms = toForms([...secrets, ...(kept ?? [])])
  return () => {
    if (kept !== live?.kept) {
      kept = live?.kept
      forms = toForms([...secrets, ...(kept ?? [])])
    }
    return forms
  }
}

const toForms = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets.flatMap(secret => [secret, secret.replace(/\s+/g, ' ').trim()]))]
    .filter(secret => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
