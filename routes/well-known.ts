// Where a client learns who issues tokens for this server, and which scopes to ask for at first.
// Public, and read before any token.
// RFC 9728, 3; specification 2026-07-28: basic/authorization/authorization-server-discovery.
import type { FastifyInstance } from 'fastify'

export interface WellKnownOptions {
  /** The canonical URI of the endpoint. */
  readonly resource: string
  readonly name: string
  /** One at least. */
  readonly authorizationServers: readonly string[]
  /** The paths at which the document is. */
  readonly paths: readonly string[]
  /** What basic use needs: clients ask for these at first, if a challenge names none. */
  scopes(): readonly string[]
}

export async function wellKnownRoutes(app: FastifyInstance, options: WellKnownOptions) {
  const { resource, name, authorizationServers, paths, scopes } = options
  for (const path of paths) {
    app.get(path, { onRequest: [app.checkOrigin, app.limitCaller], exposeHeadRoute: false }, (_request, reply) =>
      reply.header('cache-control', 'max-age=300').send({
        resource,
        authorization_servers: authorizationServers,
        // RFC 9728, 3.2: what has no elements is left out.
        scopes_supported: omitEmpty(scopes()),
        bearer_methods_supported: ['header'],
        resource_name: name,
      }),
    )
    app.options(path, { onRequest: [app.checkOrigin, app.limitCaller] }, app.answerPreflight)
  }
}

const omitEmpty = (list: readonly string[]) => (list.length > 0 ? list : undefined)
