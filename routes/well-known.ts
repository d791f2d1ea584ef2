// Protected resource metadata: who issues tokens for this server, and the scopes to request first.
// Public: clients read it before they have a token.
// RFC 9728, 3; Spec 2026-07-28: basic/authorization/authorization-server-discovery.
import type { FastifyInstance } from 'fastify'
import { GUARDS } from '../plugins/guards.ts'

export interface WellKnownOptions {
  readonly resource: string
  readonly name: string
  /** If empty, there is no metadata: 404. */
  authorizationServers(): readonly string[]
  readonly paths: readonly string[]
  /** Scopes for basic use. Clients request these first if a challenge names none. */
  scopes(): readonly string[]
}

export async function wellKnownRoutes(app: FastifyInstance, options: WellKnownOptions) {
  const { resource, name, authorizationServers, paths, scopes } = options
  for (const path of paths) {
    app.get(
      path,
      { onRequest: [app[GUARDS].checkOrigin, app[GUARDS].limitCaller], exposeHeadRoute: false },
      (_request, reply) => {
        const servers = authorizationServers()
        if (servers.length === 0) return reply.callNotFound()
        return reply.header('cache-control', 'max-age=300').send({
          resource,
          authorization_servers: servers,
          // RFC 9728, 3.2: omit empty arrays.
          scopes_supported: omitEmpty(scopes()),
          bearer_methods_supported: ['header'],
          resource_name: name,
        })
      },
    )
    app.options(path, { onRequest: [app[GUARDS].checkOrigin, app[GUARDS].limitCaller] }, app[GUARDS].answerPreflight)
  }
}

const omitEmpty = (list: readonly string[]) => (list.length > 0 ? list : undefined)
