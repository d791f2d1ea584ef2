// Secrets in the formats of those who issue them. Each is put together here, so that no scanner takes this file for a leak.
import { createHash } from 'node:crypto'
import t from 'tap'
import { createMask, createSecretMask } from '../../../src/execution/mask.ts'

const ALNUM = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC'
const UPPER = 'AB3DE5GH7JK9MN1PQ2RS4TU6VW8XY0ZC'
const HEX = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
const fill = (length: number, alphabet = ALNUM) => alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length)

const TOKENS: [issuer: string, token: string][] = [
  ['1Password', `ops_eyJ${fill(60)}`],
  ['age', `AGE-SECRET-KEY-1${fill(58, UPPER)}`],
  ['Airtable', `pat${fill(14)}.${fill(64, HEX)}`],
  ['Anthropic', `sk-ant-api03-${fill(93)}-${fill(2)}AA`],
  ['Atlassian', `ATATT3${fill(180)}=${fill(8, UPPER)}`],
  ['AWS', `AKIA${fill(16, UPPER)}`],
  ['AWS, for a while', `ASIA${fill(16, UPPER)}`],
  ['AWS Bedrock', `ABSK${fill(120)}==`],
  ['Azure', `${fill(52)}JQQJ99${fill(20)}`],
  ['Azure, of a storage account', `${fill(76)}+ASt${fill(6)}==`],
  ['Azure, of an application', `${fill(3)}8Q~${fill(34)}`],
  ['Brave', `BSA${fill(28)}`],
  ['Databricks', `dapi${fill(32, HEX)}`],
  ['DigitalOcean', `dop_v1_${fill(64, HEX)}`],
  ['Discord', `M${fill(23)}.${fill(6)}.${fill(38)}`],
  ['Docker', `dckr_pat_${fill(27)}`],
  ['Doppler', `dp.pt.${fill(43)}`],
  ['Facebook', `EAA${fill(100)}`],
  ['Figma', `figd_${fill(40)}`],
  ['Fly.io', `fo1_${fill(43)}`],
  ['GitHub', `ghp_${fill(36)}`],
  ['GitHub, fine-grained', `github_pat_${fill(22)}_${fill(59)}`],
  ['GitLab', `glpat-${fill(20)}`],
  ['GitLab, routable', `glpat-${fill(27)}.01.${fill(9)}`],
  ['GitLab runners', `glrt-${fill(20)}`],
  ['Google', `AIza${fill(35)}`],
  ['Google, for a while', `ya29.${fill(80)}`],
  ['Google, of a client', `GOCSPX-${fill(28)}`],
  ['Grafana', `glsa_${fill(32)}_${fill(8, HEX)}`],
  ['Groq', `gsk_${fill(52)}`],
  ['Heroku', `HRKU-${fill(60)}`],
  ['Hugging Face', `hf_${fill(34)}`],
  ['LangSmith', `lsv2_pt_${fill(32, HEX)}_${fill(10, HEX)}`],
  ['Linear', `lin_api_${fill(40)}`],
  ['Mailchimp', `${fill(32, HEX)}-us12`],
  ['Mailgun', `key-${fill(32, HEX)}`],
  ['Netlify', `nfp_${fill(36)}`],
  ['New Relic', `NRAK-${fill(27, UPPER)}`],
  ['Notion', `ntn_${fill(46)}`],
  ['npm', `npm_${fill(36)}`],
  ['OpenAI', `sk-proj-${fill(60)}T3BlbkFJ${fill(60)}`],
  ['Perplexity', `pplx-${fill(48)}`],
  ['Pinecone', `pcsk_${fill(6)}_${fill(60)}`],
  ['PlanetScale', `pscale_tkn_${fill(43)}`],
  ['Postman', `PMAK-${fill(24, HEX)}-${fill(34, HEX)}`],
  ['PyPI', `pypi-AgEIcHlwaS5vcmc${fill(60)}`],
  ['Replicate', `r8_${fill(37)}`],
  ['RubyGems', `rubygems_${fill(48, HEX)}`],
  ['SendGrid', `SG.${fill(22)}.${fill(43)}`],
  ['Sendinblue', `xkeysib-${fill(64, HEX)}-${fill(16)}`],
  ['Sentry', `sntrys_${fill(60)}`],
  ['Shopify', `shpat_${fill(32, HEX)}`],
  ['Slack', `xoxb-${fill(12)}-${fill(24)}`],
  ['Slack, of an app', `xapp-1-${fill(11, UPPER)}-${fill(64, HEX)}`],
  ['Slack, to refresh', `xoxe.xoxp-1-${fill(100)}`],
  ['Square', `sq0csp-${fill(43)}`],
  ['Stripe', `sk_live_${fill(24)}`],
  ['Stripe, restricted', `rk_live_${fill(24)}`],
  ['Stripe, of webhooks', `whsec_${fill(32)}`],
  ['Supabase', `sbp_${fill(40, HEX)}`],
  ['Tailscale', `tskey-auth-${fill(12)}-${fill(20)}`],
  ['Tavily', `tvly-${fill(32)}`],
  ['Telegram', `123456789:AA${fill(33)}`],
  ['Telegram, in a path', `bot123456789:AA${fill(33)}`],
  ['Terraform', `${fill(14)}.atlasv1.${fill(67)}`],
  ['Toolrack', `trk_3f9c2ab41d07_${fill(64, HEX)}`],
  ['Twilio', `SK${fill(32, HEX)}`],
  ['Vault', `hvs.${fill(90)}`],
  ['Vercel', `vcp_${fill(56)}`],
  ['xAI', `xai-${fill(80)}`],
]

for (const [issuer, token] of TOKENS) {
  t.test(`mask: a key of ${issuer} is taken out`, t => {
    for (const mask of [createMask([]), createSecretMask([])]) {
      t.equal(mask(`refused (${token}), retry`), 'refused ([secret]), retry')
      t.equal(mask(`"${token}"`), '"[secret]"')
    }
    t.end()
  })
}

const INNER = fill(20)

/** What surrounds a secret says what it is. */
const BESIDE: [what: string, text: string][] = [
  ['a password with a slash in a URL', 'postgres://u:pa/INNER@h'],
  ['a password with a question mark in a URL', 'postgres://u:a?INNER@h/db'],
  ['a password with an @ and a slash in a URL', 'mysql://u:p@a/INNER@h/db'],
  ['a password that begins like a port', 'amqp://u:123/INNER@h'],
  ['a password with a slash in a URL of HTTP', 'https://u:pa/INNER@h/x'],
  ['a token as the user of a URL', 'https://INNER@git.example/x'],
  ['an account key', 'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=INNER==;EndpointSuffix=x'],
  ['a shared access key', 'Endpoint=sb://x/;SharedAccessKeyName=all;SharedAccessKey=INNER='],
  ['a shared access signature', 'https://x.blob.example/a?sv=2024-01-01&sig=INNER%3D&se=2026'],
  ['a signature of AWS', 'https://x.example/a?X-Amz-Date=1&X-Amz-Signature=INNER'],
  ['a security token of AWS', 'https://x.example/a?X-Amz-Security-Token=INNER&b=1'],
  ['a signature of Google', 'https://x.example/a?X-Goog-Signature=INNER'],
  ['a code of OAuth', 'GET https://x.example/callback?state=1&code=INNER'],
  ['a key in a URL', 'https://x.example/v1?key=INNER&q=1'],
  ['a password of a database', 'Server=db;User Id=sa;Password=INNER;Encrypt=true'],
  ['a password in quotes, with spaces', 'password="two INNER words"'],
  ['a password in single quotes, with spaces', "password: 'two INNER words'"],
  ['a password of JSON within JSON', '{\\"password\\":\\"INNER\\"}'],
  ['a secret that is percent-encoded', 'body client_secret%3DINNER%26a%3D1'],
  ['a key of a service', 'Ocp-Apim-Subscription-Key: INNER'],
  ['an option of a command', 'mysql --password INNER -h db'],
  ['a passphrase', 'passphrase=INNER'],
  ['a short name', 'DB_PASS=INNER'],
  ['a setting of npm', '//registry.example/:_auth=INNER'],
  ['a private key', 'private_key: INNER'],
  ['an encryption key', 'ENCRYPTION_KEY=INNER'],
  ['a line of netrc', 'machine db.example login me password INNER'],
  ['a cookie', 'Cookie: sid=INNER; theme=dark'],
  ['a cookie that is set', 'set-cookie: sid=INNER; HttpOnly'],
  ['another scheme of authorization', 'Authorization: Token INNER'],
  ['a header of authorization in JSON', '{"authorization":"ApiKey INNER"}'],
  ['a webhook of Slack', 'https://hooks.slack.com/services/T000/B000/INNER'],
  ['a webhook of Discord', 'https://discord.com/api/webhooks/1234/INNER'],
  ['a webhook of Teams', 'https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/INNER/c'],
  ['a private key of PGP', '-----BEGIN PGP PRIVATE KEY BLOCK----- INNER -----END PGP PRIVATE KEY BLOCK-----'],
  [
    'a private key with headers',
    '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1\n\nINNER',
  ],
  ['a private key of PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nINNER\nPrivate-MAC: INNER'],
  ['a private key as JWK', '{"kty":"EC","crv":"P-256","x":"a","d":"INNERINNERINNER"}'],
]

for (const [what, text] of BESIDE) {
  t.test(`mask: ${what} is taken out`, t => {
    for (const mask of [createMask([]), createSecretMask([])]) {
      t.notMatch(mask(text.replaceAll('INNER', INNER)), INNER)
    }
    t.end()
  })
}

const ORDINARY = [
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 is missing',
  'id 123e4567-e89b-12d3-a456-426614174000, sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'see https://docs.example/@scope/name/v1.2?q=a@b#c',
  'listening at http://127.0.0.1:3000/mcp, mail ops@example.com',
  'http://localhost:8080/users/me@example.com is gone',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'the key is missing; the code is 404, code=ENOENT',
  'https://x.example/search?key=name&code=404&sig=no',
  'expected Authorization: a header; no cookie was sent',
  'npm_config_registry and pypi-server and hf_transfer and fig_leaf',
  'passenger=2 bypass=1 compass: north passing: true',
  'order PMAK-1, ticket SK-204, route ya29, part key-ring, disk-usage',
]

for (const text of ORDINARY) {
  t.test(`mask: ${JSON.stringify(text)} stays`, t => {
    t.equal(createSecretMask([])(text), text)
    t.end()
  })
}

t.test('mask: ids, hashes and pictures stay', t => {
  const mask = createSecretMask([])
  // The same each time: of random ones some would hold the letters of a key.
  const bytes = (n: number) => createHash('shake256', { outputLength: 600 }).update(String(n)).digest()
  for (let n = 0; n < 200; n++) {
    const text = `commit ${bytes(n).toString('hex', 0, 20)} of data:image/png;base64,${bytes(n).toString('base64')} failed`
    t.equal(mask(text), text)
  }
  const hashes = Array.from({ length: 500 }, (_, n) => bytes(n).toString('hex', 0, 32)).join('\n')
  t.equal(mask(hashes), hashes)
  t.end()
})
