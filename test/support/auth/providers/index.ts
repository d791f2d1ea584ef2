import { auth0, auth0Permissions } from './auth0.ts'
import { buildkite, circleCi, githubActions, gitlabCi, hcpTerraform, vercel } from './ci.ts'
import { kubernetes, spiffe } from './clusters.ts'
import { cognito } from './cognito.ts'
import { entra1, entra2, entraTenants } from './entra.ts'
import { google } from './google.ts'
import { keycloak } from './keycloak.ts'
import { okta, oktaOrg } from './okta.ts'
import { pingFederate, pingOne } from './ping.ts'
import { clerk, firebase, stytch, supabase, workOs } from './platforms.ts'
import type { Provider } from './provider.ts'
import { authentik, fusionAuth, zitadel } from './self-hosted.ts'

/** Each makes its keys, which takes a while. */
export const PROVIDERS: readonly (() => Provider)[] = [
  ...[auth0, auth0Permissions, cognito, entra1, entra2, entraTenants, google],
  ...[keycloak, okta, oktaOrg, pingFederate, pingOne],
  ...[githubActions, gitlabCi, circleCi, buildkite, hcpTerraform, vercel, kubernetes, spiffe],
  ...[authentik, firebase, zitadel, fusionAuth, workOs, stytch, supabase, clerk],
]
