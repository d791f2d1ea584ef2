// Issuers that sign tokens for everybody who asks: the audience is the caller's choice, so the issuer
// says nothing. Each with the claims that say whose a token is, by the documentation of the issuer.

export interface SharedIssuer {
  readonly name: string
  readonly issuer: RegExp
  /** One of them has to be required. */
  readonly telling: readonly string[]
  /** What a message shows. */
  readonly example: string
  /** Whether people sign in there. */
  readonly hasSignIn?: boolean
}

const SHARED: readonly SharedIssuer[] = [
  {
    name: 'GitHub Actions',
    issuer: /^https:\/\/token\.actions\.githubusercontent\.com(\/|$)/,
    telling: [
      ...['sub', 'repository', 'repository_id', 'repository_owner', 'repository_owner_id', 'job_workflow_ref'],
      ...['enterprise', 'enterprise_id'],
    ],
    example: 'repository_owner=acme',
  },
  {
    name: 'GitLab.com',
    issuer: /^https:\/\/gitlab\.com\/?$/,
    telling: ['sub', 'namespace_id', 'namespace_path', 'project_id', 'project_path', 'groups_direct'],
    example: 'namespace_path=acme',
  },
  {
    name: 'CircleCI',
    issuer: /^https:\/\/oidc\.circleci\.com(\/|$)/,
    telling: ['sub', 'oidc.circleci.com/project-id', 'oidc.circleci.com/org-id'],
    example: 'oidc.circleci.com/project-id=PROJECT_ID',
  },
  {
    name: 'Buildkite',
    issuer: /^https:\/\/agent\.buildkite\.com\/?$/,
    telling: ['sub', 'organization_slug', 'organization_id', 'pipeline_id'],
    example: 'organization_slug=acme',
  },
  {
    name: 'Terraform Cloud',
    issuer: /^https:\/\/app\.(terraform|eu\.terraform)\.io\/?$/,
    telling: [
      ...['sub', 'terraform_organization_name', 'terraform_organization_id', 'terraform_project_id'],
      'terraform_workspace_id',
    ],
    example: 'terraform_organization_name=acme',
  },
  {
    name: 'Vercel',
    issuer: /^https:\/\/oidc\.vercel\.com(\/|$)/,
    telling: ['sub', 'owner', 'owner_id', 'project_id'],
    example: 'owner=acme',
  },
  {
    name: 'Microsoft, for personal accounts',
    issuer:
      /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net)\/(9188040d-6c67-4c5b-b112-36a304b66dad|consumers)(\/|$)/,
    telling: ['sub', 'oid', 'email', 'preferred_username', 'roles', 'groups'],
    example: 'oid=OBJECT_ID',
    hasSignIn: true,
  },
  {
    name: 'Firebase',
    issuer: /^https:\/\/(securetoken|session\.firebase)\.google\.com(\/|$)/,
    telling: ['sub', 'user_id', 'email', 'firebase.tenant', 'firebase.sign_in_provider', 'roles', 'groups', 'admin'],
    example: 'firebase.tenant=TENANT_ID',
    hasSignIn: true,
  },
]

export const findSharedIssuer = (issuers: readonly string[]): SharedIssuer | undefined =>
  SHARED.find(({ issuer: pattern }) => issuers.some(issuer => pattern.test(issuer)))
