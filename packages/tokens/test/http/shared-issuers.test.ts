// A server does not start for an issuer that signs for everybody, until a claim says whose tokens count.
import t from 'tap'
import { readClaimPatterns } from '../../../../src/auth/claim-patterns.ts'
import { ConfigError } from '../../../../src/config/settings.ts'
import { createServer } from '../../../../src/index.ts'
import { jwksServer } from '../../../../test/support/auth/jwks-server.ts'

/** The issuer, what narrows nothing, and what says whose tokens count. */
const ROWS: readonly (readonly [issuer: string, vague: string, telling: string])[] = [
  ['https://token.actions.githubusercontent.com', 'ref=refs/heads/main', 'repository_owner=acme|acme-labs'],
  ['https://gitlab.com', 'ref_protected=true', 'namespace_path=acme'],
  ['https://oidc.circleci.com/org/ORG', 'oidc.circleci.com/ssh-rerun=false', 'oidc.circleci.com/project-id=P'],
  ['https://agent.buildkite.com', 'build_branch=main', 'organization_slug=acme'],
  ['https://app.terraform.io', 'terraform_run_phase=apply', 'terraform_organization_name=acme'],
  ['https://oidc.vercel.com', 'environment=production', 'owner=acme'],
  ['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0', 'email=*@acme.example', 'oid=O'],
  ['https://securetoken.google.com/shop', 'email_verified=true', 'firebase.tenant=acme'],
]

for (const [jwtIssuer, vague, jwtRequiredClaims] of ROWS)
  t.test(`B44: ${jwtIssuer}: refused without a claim that says whose tokens count, and started with it`, async t => {
    const server = await jwksServer()
    t.teardown(() => server.close())
    const options = {
      jwt: { issuer: jwtIssuer, jwksUrl: server.url },
      logLevel: 'silent',
      toolsDir: undefined,
    } as const
    const message = /^jwt\.requiredClaims: expected such as \S+=\S+, since .+ signs tokens for /

    for (const required of [undefined, vague, `${jwtRequiredClaims.split('=')[0]}=*acme`]) {
      const refused = createServer({
        ...options,
        jwt: { ...options.jwt, requiredClaims: required === undefined ? undefined : readClaimPatterns(required) },
      })
      await t.rejects(refused, ConfigError, String(required))
      await t.rejects(refused, { message }, String(required))
    }
    const app = await createServer({
      ...options,
      jwt: { ...options.jwt, requiredClaims: readClaimPatterns(jwtRequiredClaims) },
    })
    t.teardown(() => app.close())
    await app.ready()
    t.equal(server.fetches, 1, 'its keys are asked for')
  })

t.test('B44: JWT_CLIENT_IDS does not stand for such a claim', async t => {
  const options = { jwt: { issuer: 'https://gitlab.com', jwksUrl: 'https://gitlab.com/oauth/discovery/keys' } }

  await t.rejects(createServer({ ...options, jwt: { ...options.jwt, clientIds: 'app' } }), {
    message: /^jwt\.requiredClaims: expected such as namespace_path=acme/,
  })
})
