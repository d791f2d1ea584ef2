// Issuers that sign for everybody: which they are, and what says whose a token is.
import t from 'tap'
import { readClaimPatterns } from '../../../src/auth/claim-patterns.ts'
import { isNarrowed, listSharedIssuers, type SharedIssuer } from '../../../src/config/shared-issuers.ts'

const MICROSOFT = '9188040d-6c67-4c5b-b112-36a304b66dad'

/** Each as it writes itself into `iss`, with a claim that narrows nothing. */
const SHARED: Readonly<Record<string, readonly [name: string, vague: string]>> = {
  'https://token.actions.githubusercontent.com': ['GitHub Actions', 'ref=refs/heads/main'],
  'https://gitlab.com': ['GitLab.com', 'ref_protected=true'],
  'https://oidc.circleci.com/org/c9035eb6-6eb2-4c85-8a81-d9ed6a1d1d1e': [
    'CircleCI',
    'oidc.circleci.com/vcs-ref=refs/heads/main',
  ],
  'https://agent.buildkite.com': ['Buildkite', 'pipeline_slug=deploy'],
  'https://app.terraform.io': ['HCP Terraform', 'terraform_workspace_name=prod'],
  'https://app.eu.terraform.io': ['HCP Terraform', 'terraform_run_phase=apply'],
  'https://oidc.vercel.com': ['Vercel', 'environment=production'],
  'https://api.pulumi.com/oidc': ['Pulumi Cloud', 'https://pulumi.com/current_env=shop/prod'],
  'https://api.pulumi.com/oidc/v2': ['Pulumi Cloud', 'https://pulumi.com/root_env=shop/prod'],
  'https://oidc.codefresh.io': ['Codefresh', 'pipeline_name=shop/deploy'],
  'https://oidc.modal.com': ['Modal', 'app_name=shop'],
  [`https://login.microsoftonline.com/${MICROSOFT}/v2.0`]: ['Microsoft', 'preferred_username=ann@shop.example'],
  'https://securetoken.google.com/shop': ['Firebase', 'firebase.sign_in_provider=password'],
  'https://session.firebase.google.com/shop': ['Firebase', 'email=*@shop.example'],
}

const find = (issuer: string) => listSharedIssuers([issuer])[0] as SharedIssuer
const narrows = (issuer: string, required: string) => isNarrowed(find(issuer), readClaimPatterns(required))

for (const [issuer, [name, vague]] of Object.entries(SHARED))
  t.test(`B44: ${issuer} signs for everybody: only a claim that says whose a token is narrows that`, async t => {
    const shared = find(issuer)

    t.equal(shared?.name, name)
    t.ok(narrows(issuer, shared.example), 'what the message shows')
    t.ok(narrows(issuer, `${shared.example},${vague}`), 'with another beside it')
    t.notOk(isNarrowed(shared, {}))
    t.notOk(narrows(issuer, vague), vague)
    t.notOk(narrows(issuer, `${shared.example.split('=')[0]}=*evil`), 'a value that may begin with anything')
    t.notOk(narrows(issuer, `${shared.example}|*-acme`), 'one such value among others')
  })

/** Patterns of `sub` that match the jobs of everybody, and those of one. */
const SUBJECTS: Readonly<Record<string, readonly [all: readonly string[], one: string]>> = {
  'https://token.actions.githubusercontent.com': [['repo:*', 're*', 'repo:*:ref:refs/heads/main'], 'repo:acme/*'],
  'https://gitlab.com': [['project_path:*'], 'project_path:acme/*'],
  'https://oidc.circleci.com/org/x': [['org/*', 'org/?*/project/p*'], 'org/x/project/p/*'],
  'https://agent.buildkite.com': [['organization:*:pipeline:x'], 'organization:acme:*'],
  'https://app.terraform.io': [['organization:*'], 'organization:acme:*'],
  'https://oidc.vercel.com': [['owner:*:environment:production'], 'owner:acme:*'],
  'https://api.pulumi.com/oidc': [
    ['pulumi:*', 'pulumi:deploy:org:*', 'pulumi:environments:*'],
    'pulumi:deploy:org:acme:*',
  ],
  'https://oidc.codefresh.io': [['account:*'], 'account:1234:*'],
  'https://oidc.modal.com': [['modal:workspace_id:*'], 'modal:workspace_id:ac-1:*'],
}

for (const [issuer, [all, one]] of Object.entries(SUBJECTS))
  t.test(`B44: ${issuer}: a subject that begins as all do narrows nothing`, async t => {
    for (const pattern of all) {
      t.notOk(narrows(issuer, `sub=${pattern}`), pattern)
      t.notOk(narrows(issuer, `sub=${one}|${pattern}`), `${pattern} beside another`)
    }
    t.ok(narrows(issuer, `sub=${one}`), one)
  })

t.test('an issuer of one organization signs for that one', async t => {
  for (const issuer of [
    'https://token.actions.githubusercontent.com/acme',
    'https://token.actions.acme.ghe.com',
    'https://github.acme.example/_services/token',
    'https://gitlab.acme.example',
    'https://oidc.vercel.com/acme',
    'https://oidc.fly.io/acme',
    'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
    'https://oidc.eks.eu-central-1.amazonaws.com/id/80D562ED8026E91294D52E09BEA261D4',
    'https://token.actions.githubusercontent.com.evil.example',
    'https://gitlab.com.evil.example',
    'spiffe://acme.example',
  ])
    t.strictSame(listSharedIssuers([issuer]), [], issuer)
})

t.test(
  'B44: claims of GitHub and GitLab that say who has started a job, or whose workflow it calls, narrow nothing',
  async t => {
    for (const claim of ['actor=ann', 'job_workflow_ref=acme/ci/.github/workflows/x.yml@main', 'environment=prod'])
      t.notOk(narrows('https://token.actions.githubusercontent.com', claim), claim)
    for (const claim of ['user_login=ann', 'groups_direct=acme', 'job_project_path=acme/shop'])
      t.notOk(narrows('https://gitlab.com', claim), claim)
  },
)

t.test('Firebase: claims that the operator sets narrow it, also in objects', async t => {
  const issuer = 'https://securetoken.google.com/shop'

  for (const claim of ['admin=true', 'tenant=acme', 'acme.staff=true', 'user_id=u1', 'sub=u1'])
    t.ok(narrows(issuer, claim), claim)
  for (const claim of ['email_verified=true', 'firebase.identities.email=ann@shop.example', 'name=Ann', 'aud=shop'])
    t.notOk(narrows(issuer, claim), claim)
})

t.test('of several issuers in one entry each is listed', async t => {
  const names = listSharedIssuers(['https://gitlab.com', 'https://as.example', 'https://agent.buildkite.com'])

  t.strictSame(names.map(({ name }) => name).sort(), ['Buildkite', 'GitLab.com'])
})
