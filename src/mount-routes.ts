// Which plugins guard which routes, one line each.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import audit from '../plugins/audit.ts'
import auth from '../plugins/auth.ts'
import errors from '../plugins/errors.ts'
import load from '../plugins/load.ts'
import rateLimit from '../plugins/rate-limit.ts'
import security from '../plugins/security.ts'
import { httpSseRoutes } from '../routes/http-sse.ts'
import { mcpRoutes } from '../routes/mcp.ts'
import { wellKnownRoutes } from '../routes/well-known.ts'
import { metadataPaths, metadataUrlOf } from './access/metadata.ts'
import type { Identity, Parts } from './assemble.ts'
import { authorizationServersOf, claimRules, pathPrefix, publicUrlOf, resourceOf } from './config.ts'
import { scopesOf } from './registry/catalog.ts'
import { memoryLimits } from './state/memory/limits.ts'

/** The guards, then the doors that they stand at. */
export async function mountRoutes(
  app: FastifyInstance,
  parts: Parts,
  { identity, log }: { identity: Identity; log: FastifyBaseLogger },
): Promise<void> {
  const { settings, requestLimits, keys, services, sessions, inflight, streams } = parts
  const { maxBodyBytes, mcpPath } = settings
  const sessionParts = { services, sessions, inflight, streams, log, maxBodyBytes }
  const resource = publicUrlOf(settings)
  const scopes = () => scopesOf(services.catalog)
  await app.register(audit, { isTimed: services.audit.isOn })
  await app.register(errors, services)
  await app.register(security, settings)
  await app.register(load)
  await app.register(rateLimit, { settings, limits: requestLimits, failures: memoryLimits() })
  await app.register(auth, { keys, claims: claimRules(settings), metadataUrl: metadataUrlOf(resource), scopes })
  await app.register(mcpRoutes, { ...sessionParts, path: mcpPath })
  if (settings.httpSse) await app.register(httpSseRoutes, { ...sessionParts, prefix: pathPrefix(settings) })
  if (keys === undefined) return
  await app.register(wellKnownRoutes, {
    resource: resourceOf(settings),
    name: identity.title ?? identity.name,
    authorizationServers: authorizationServersOf(settings),
    paths: metadataPaths(mcpPath, resource),
    scopes,
  })
}
