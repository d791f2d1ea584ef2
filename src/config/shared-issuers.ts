// Issuers that sign tokens for everybody who asks: the audience is the caller's choice, so the issuer
// says nothing. Each with the claims that say whose a token is, by the documentation of the issuer.
import type { ClaimPatterns } from '../auth/claim-patterns.ts'

export interface SharedIssuer {
  readonly name: string
  readonly issuer: RegExp
  /** For whom it signs; default: everybody. */
  readonly signsFor?: string
  /** The claims that say whose a token is: these, or with `vague` all others. One has to be required. */
  readonly telling: readonly string[] | { readonly vague: readonly string[] }
  /** How `sub` begins, whoever it is. */
  readonly subjects?: readonly string[]
  /** As a message shows it. */
  readonly example: string
  /** Whether people sign in there. */
  readonly hasSignIn?: boolean
}

const SHARED: readonly SharedIssuer[] = [
  {
    // https://docs.github.com/actions/reference/security/oidc; an enterprise can have an issuer of its
    // own, with a path. A reusable workflow (job_workflow_ref) can be called by anybody.
    name: 'GitHub Actions',
    issuer: /^https:\/\/token\.actions\.githubusercontent\.com\/?$/,
    telling: [
      ...['sub', 'repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'workflow_ref'],
      ...['enterprise', 'enterprise_id'],
    ],
    // By default; an organization can choose another form.
    subjects: ['repo:'],
    example: 'repository_owner=acme',
  },
  {
    // https://docs.gitlab.com/ci/secrets/id_token_authentication/; the claims of the user are those of
    // whoever has started the pipeline, in whichever project, and job_* those of a fork's target.
    name: 'GitLab.com',
    issuer: /^https:\/\/gitlab\.com\/?$/,
    telling: ['sub', 'namespace_id', 'namespace_path', 'project_id', 'project_path'],
    subjects: ['project_path:'],
    example: 'namespace_path=acme',
  },
  {
    // https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/
    name: 'CircleCI',
    issuer: /^https:\/\/oidc\.circleci\.com(\/|$)/,
    signsFor: 'all projects of an organization, and for forks of them',
    telling: ['sub', 'oidc.circleci.com/project-id', 'oidc.circleci.com/vcs-origin'],
    subjects: ['org/'],
    example: 'oidc.circleci.com/project-id=PROJECT_ID',
  },
  {
    // https://buildkite.com/docs/agent/cli/reference/oidc
    name: 'Buildkite',
    issuer: /^https:\/\/agent\.buildkite\.com\/?$/,
    telling: ['sub', 'organization_slug', 'organization_id', 'pipeline_id'],
    subjects: ['organization:'],
    example: 'organization_slug=acme',
  },
  {
    // https://developer.hashicorp.com/terraform/cloud-docs/workspaces/dynamic-provider-credentials/workload-identity-tokens
    name: 'HCP Terraform',
    issuer: /^https:\/\/app\.(eu\.)?terraform\.io\/?$/,
    telling: [
      ...['sub', 'terraform_organization_name', 'terraform_organization_id', 'terraform_project_id'],
      ...['terraform_workspace_id', 'terraform_full_workspace'],
    ],
    subjects: ['organization:'],
    example: 'terraform_organization_name=acme',
  },
  {
    // https://vercel.com/docs/oidc/reference; a team can have an issuer of its own, with a path.
    name: 'Vercel',
    issuer: /^https:\/\/oidc\.vercel\.com\/?$/,
    telling: ['sub', 'owner', 'owner_id', 'project_id'],
    subjects: ['owner:'],
    example: 'owner=acme',
  },
  {
    // https://www.pulumi.com/docs/esc/guides/configuring-oidc/custom-audience/
    name: 'Pulumi Cloud',
    issuer: /^https:\/\/api\.pulumi\.com\/oidc(\/v2)?\/?$/,
    telling: ['sub', ...['org', 'org_id', 'current_env_id', 'root_env_id'].map(name => `https://pulumi.com/${name}`)],
    subjects: ['pulumi:deploy:org:', 'pulumi:environments:org:'],
    example: 'https://pulumi.com/org_id=ORGANIZATION_ID',
  },
  {
    // As Fulcio reads it: https://github.com/sigstore/fulcio/blob/main/config/identity/config.yaml
    name: 'Codefresh',
    issuer: /^https:\/\/oidc\.codefresh\.io\/?$/,
    telling: ['sub', 'account_id', 'account_name', 'pipeline_id'],
    subjects: ['account:'],
    example: 'account_id=ACCOUNT_ID',
  },
  {
    // https://modal.com/docs/guide/oidc-integration
    name: 'Modal',
    issuer: /^https:\/\/oidc\.modal\.com\/?$/,
    telling: ['sub', 'workspace_id', 'environment_id', 'app_id', 'function_id'],
    subjects: ['modal:workspace_id:'],
    example: 'workspace_id=WORKSPACE_ID',
  },
  {
    // https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference: whoever has
    // an address or a name can change it.
    name: 'Microsoft',
    issuer:
      /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net)\/(9188040d-6c67-4c5b-b112-36a304b66dad|consumers)(\/|$)/,
    signsFor: 'all personal accounts',
    telling: ['sub', 'oid'],
    example: 'oid=OBJECT_ID',
    hasSignIn: true,
  },
  {
    // https://firebase.google.com/docs/auth/admin/verify-id-tokens and .../custom-claims: claims of
    // one's own count, since users cannot set them.
    name: 'Firebase',
    issuer: /^https:\/\/(securetoken|session\.firebase)\.google\.com(\/|$)/,
    signsFor: 'everybody who signs up',
    telling: {
      vague: [
        ...['iss', 'aud', 'exp', 'iat', 'nbf', 'auth_time', 'provider_id', 'email', 'email_verified'],
        ...['phone_number', 'name', 'picture', 'firebase.identities', 'firebase.sign_in_provider'],
      ],
    },
    example: 'firebase.tenant=TENANT_ID',
    hasSignIn: true,
  },
]

export const listSharedIssuers = (issuers: readonly string[]): readonly SharedIssuer[] =>
  SHARED.filter(({ issuer: pattern }) => issuers.some(issuer => pattern.test(issuer)))

/** Whether the requirement says whose tokens count. A value that begins as those of all does not. */
export const isNarrowed = (shared: SharedIssuer, required: ClaimPatterns): boolean =>
  Object.entries(required).some(([claim, patterns]) => {
    const common = claim === 'sub' ? (shared.subjects ?? ['']) : ['']
    return isTelling(shared, claim) && patterns.every(pattern => !isOpen(pattern, common))
  })

/** Whether nothing but how all begin stands before the first wildcard. */
function isOpen(pattern: string, common: readonly string[]): boolean {
  const at = pattern.search(/[*?]/)
  return at >= 0 && common.some(start => start.startsWith(pattern.slice(0, at)))
}

const isTelling = ({ telling }: SharedIssuer, claim: string): boolean =>
  'vague' in telling
    ? !telling.vague.some(name => claim === name || claim.startsWith(`${name}.`))
    : telling.includes(claim)
