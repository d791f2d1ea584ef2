// CI jobs and deployments. Shapes: docs.github.com/actions/reference/security/oidc,
// docs.gitlab.com/ci/secrets/id_token_authentication, circleci.com/docs (OpenID Connect tokens),
// buildkite.com/docs/agent/cli/reference/oidc, developer.hashicorp.com/terraform (workload identity
// tokens), vercel.com/docs/oidc/reference.
import {
  type Expected,
  type Provider,
  publish,
  RESOURCE,
  readDocumented,
  type Token,
  times,
  WORKLOADS,
  withClaims,
} from './provider.ts'

interface Job {
  readonly name: string
  readonly section: string
  readonly values: Readonly<Record<string, string>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly expected: Partial<Expected>
  /** What the same issuer signs for others. */
  readonly others: Readonly<Record<string, object>>
  /** The person who signs in at the same issuer. */
  readonly person?: object
}

function create({ name, section, values, claims, expected, others, person }: Job): Provider {
  const key = publish(`${name}-key`, () => ({ use: 'sig', alg: 'RS256' }))
  const header = { typ: 'JWT', alg: 'RS256', kid: key.kid }
  const job: Token = {
    header,
    key,
    payload: { jti: '8b2c1f0e', aud: RESOURCE, ...times({ nbf: times().iat }), ...claims },
  }
  return {
    name,
    settings: readDocumented(section, values, [0], WORKLOADS),
    jwks: [key.jwk],
    accepted: { 'of a job': [job, { subject: claims['sub'] as string, scopes: [], ...expected }] },
    refused: Object.fromEntries(Object.entries(others).map(([what, over]) => [what, withClaims(job, over)])),
    ...(person && { idToken: { header, key, payload: { ...times(), iss: claims['iss'], ...person } } }),
  }
}

export const githubActions = () =>
  create({
    name: 'GitHub Actions',
    section: 'GitHub Actions',
    values: { ORGANIZATION: 'acme' },
    claims: {
      ...{ iss: 'https://token.actions.githubusercontent.com', sub: 'repo:acme/shop:ref:refs/heads/main' },
      ...{ ref: 'refs/heads/main', ref_type: 'branch', sha: 'a'.repeat(40), event_name: 'push', actor: 'ann' },
      ...{ repository: 'acme/shop', repository_id: '74', repository_owner: 'acme', repository_owner_id: '65' },
      ...{ repository_visibility: 'private', run_id: '36905461215', runner_environment: 'github-hosted' },
      ...{ workflow: 'deploy', workflow_ref: 'acme/shop/.github/workflows/deploy.yml@refs/heads/main' },
      job_workflow_ref: 'acme/ci/.github/workflows/deploy.yml@refs/heads/main',
    },
    expected: { claims: { tenant: 'acme', repository: 'acme/shop' } },
    others: {
      'of a stranger who calls a workflow of ours': {
        ...{ sub: 'repo:mallory/shop:ref:refs/heads/main', repository: 'mallory/shop', repository_owner: 'mallory' },
        ...{ workflow_ref: 'mallory/shop/.github/workflows/deploy.yml@refs/heads/main' },
      },
      'of an organization whose name begins like ours': { repository_owner: 'acme-evil', repository: 'acme-evil/shop' },
      'of another branch': { ref: 'refs/heads/feature', sub: 'repo:acme/shop:ref:refs/heads/feature' },
      'of a pull request': { ref: 'refs/pull/7/merge', sub: 'repo:acme/shop:pull_request' },
      'for the audience that jobs get by default': { aud: 'https://github.com/acme' },
      'of an enterprise with an issuer of its own': { iss: 'https://token.actions.githubusercontent.com/acme' },
    },
  })

export const gitlabCi = () =>
  create({
    name: 'GitLab CI',
    section: 'GitLab CI',
    values: { GROUP: 'acme' },
    claims: {
      ...{ iss: 'https://gitlab.com', sub: 'project_path:acme/shop/api:ref_type:branch:ref:main' },
      ...{ namespace_id: '72', namespace_path: 'acme/shop', project_id: '20', project_path: 'acme/shop/api' },
      ...{ user_id: '1', user_login: 'ann', user_email: 'ann@acme.example', user_access_level: 'owner' },
      ...{ pipeline_id: '574', pipeline_source: 'push', job_id: '302', ref: 'main', ref_type: 'branch' },
      ...{ ref_path: 'refs/heads/main', ref_protected: 'true', groups_direct: ['acme'], runner_id: 1 },
      ...{ runner_environment: 'gitlab-hosted', sha: 'd'.repeat(40), project_visibility: 'private' },
    },
    expected: { claims: { tenant: 'acme/shop', project: 'acme/shop/api' } },
    others: {
      'of a stranger': { namespace_path: 'mallory', project_path: 'mallory/shop' },
      'of a group whose name begins like ours': {
        namespace_path: 'acme-evil/shop',
        project_path: 'acme-evil/shop/api',
      },
      "of somebody of ours in a stranger's project": { namespace_path: 'mallory', groups_direct: ['acme'] },
      'of a branch that anybody can push to': { ref: 'x', ref_path: 'refs/heads/x', ref_protected: 'false' },
      'for another service': { aud: 'https://vault.example' },
      'of a GitLab of their own': { iss: 'https://gitlab.acme.example' },
    },
    person: { sub: '1', aud: '5f2c'.repeat(16), auth_time: times().iat, nickname: 'ann', groups_direct: ['acme'] },
  })

const CIRCLE = 'c9035eb6-6eb2-4c85-8a81-d9ed6a1d1d1e'
const PROJECT = '3a2f5b1c-7d4e-4f6a-9b8c-0d1e2f3a4b5c'

export const circleCi = () =>
  create({
    name: 'CircleCI',
    section: 'CircleCI',
    values: { ORGANIZATION_ID: CIRCLE, PROJECT_ID: PROJECT, ORGANIZATION: 'acme' },
    claims: {
      iss: `https://oidc.circleci.com/org/${CIRCLE}`,
      sub: `org/${CIRCLE}/project/${PROJECT}/user/5e6f7a8b-9c0d-4e1f-a2b3-c4d5e6f7a8b9`,
      'oidc.circleci.com/project-id': PROJECT,
      'oidc.circleci.com/vcs-origin': 'github.com/acme/shop',
      'oidc.circleci.com/vcs-ref': 'refs/heads/main',
      'oidc.circleci.com/context-ids': ['4c1d2b3a-0000-4000-8000-1234567890ab'],
      'oidc.circleci.com/ssh-rerun': false,
    },
    expected: { claims: { project: PROJECT } },
    others: {
      'of another project': { 'oidc.circleci.com/project-id': CIRCLE },
      'of a fork': { 'oidc.circleci.com/vcs-origin': 'github.com/mallory/shop' },
      'of a custom webhook, without an origin': { 'oidc.circleci.com/vcs-origin': undefined },
      'for the audience that jobs get by default': { aud: CIRCLE },
      'of another organization': { iss: `https://oidc.circleci.com/org/${PROJECT}` },
    },
  })

export const buildkite = () =>
  create({
    name: 'Buildkite',
    section: 'Buildkite',
    values: { ORGANIZATION: 'acme' },
    claims: {
      iss: 'https://agent.buildkite.com',
      sub: `organization:acme:pipeline:shop:ref:refs/heads/main:commit:${'9f'.repeat(20)}:step:build`,
      ...{ organization_slug: 'acme', pipeline_slug: 'shop', build_number: 1, build_branch: 'main' },
      ...{ build_commit: '9f'.repeat(20), step_key: 'build', runner_environment: 'self-hosted' },
      ...{ job_id: '0184990a-477b-4fa8-9968-496074483cee', agent_id: '0184990a-4782-42b5-afc1-16715b10b8ff' },
    },
    expected: { claims: { tenant: 'acme', pipeline: 'shop' } },
    others: {
      'of another organization with such a pipeline': { organization_slug: 'mallory' },
      'of another branch': { build_branch: 'feature' },
      'for the audience that jobs get by default': { aud: 'https://buildkite.com/acme' },
    },
  })

export const hcpTerraform = () =>
  create({
    name: 'HCP Terraform',
    section: 'HCP Terraform',
    values: { ORGANIZATION_ID: 'org-GRNbCjYNpBB6NEBH' },
    claims: {
      iss: 'https://app.terraform.io',
      sub: 'organization:acme:project:shop:workspace:prod:run_phase:apply',
      ...{ terraform_organization_id: 'org-GRNbCjYNpBB6NEBH', terraform_organization_name: 'acme' },
      ...{ terraform_project_id: 'prj-vegSA59s1XPwMr2t', terraform_project_name: 'shop' },
      ...{ terraform_workspace_id: 'ws-mbsd5E3Ktt5Rg2Xm', terraform_workspace_name: 'prod' },
      terraform_full_workspace: 'organization:acme:project:shop:workspace:prod',
      ...{ terraform_run_id: 'run-X3n1AUXNGWbfECsJ', terraform_run_phase: 'apply' },
    },
    expected: { claims: { workspace: 'prod' } },
    others: {
      'of another organization with such a workspace': { terraform_organization_id: 'org-MALLORY' },
      'of a plan': { terraform_run_phase: 'plan' },
      'for a cloud': { aud: 'aws.workload.identity' },
      'of Terraform in Europe': { iss: 'https://app.eu.terraform.io' },
    },
  })

export const vercel = () =>
  create({
    name: 'Vercel',
    section: 'Vercel',
    values: { TEAM: 'acme', PROJECT_ID: 'prj_7Gw5ZMzpQA8h90F832KGp7nwbuh3' },
    claims: {
      ...{ iss: 'https://oidc.vercel.com/acme', aud: 'https://vercel.com/acme' },
      sub: 'owner:acme:project:shop:environment:production',
      ...{ scope: 'owner:acme:project:shop:environment:production', owner: 'acme', owner_id: 'team_7Gw5' },
      ...{ project: 'shop', project_id: 'prj_7Gw5ZMzpQA8h90F832KGp7nwbuh3', environment: 'production' },
    },
    expected: {
      claims: { project: 'shop' },
      scopes: ['owner:acme:project:shop:environment:production'],
    },
    others: {
      'of another project of the team': { project_id: 'prj_other', project: 'other' },
      'of a preview': { environment: 'preview' },
      'of another team': { iss: 'https://oidc.vercel.com/mallory', aud: 'https://vercel.com/mallory' },
      'of the issuer for everybody': { iss: 'https://oidc.vercel.com' },
      'for another service': { aud: 'https://other.example' },
    },
  })
