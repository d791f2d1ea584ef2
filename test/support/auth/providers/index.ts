import { auth0, auth0Permissions } from './auth0.ts'
import { cognito } from './cognito.ts'
import { entra1, entra2, entraTenants } from './entra.ts'
import { google } from './google.ts'
import { keycloak } from './keycloak.ts'
import { okta, oktaOrg } from './okta.ts'
import { pingFederate, pingOne } from './ping.ts'
import type { Provider } from './provider.ts'

/** Each makes its keys, which takes a while. */
export const PROVIDERS: readonly (() => Provider)[] = [
  ...[auth0, auth0Permissions, cognito, entra1, entra2, entraTenants, google],
  ...[keycloak, okta, oktaOrg, pingFederate, pingOne],
]
