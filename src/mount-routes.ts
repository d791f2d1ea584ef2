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
import { authorizationServersOf, claimRules } from './access-rules.ts'
import type { Parts } from './assemble.ts'
import { findNeededScopes } from './methods/needed-scopes.ts'
import { countedLimits } from './metrics/counted-limits.ts'
import type { Plan } from './plan.ts'
import { pathPrefix, publicUrlOf, resourceOf, sseUrlOf } from './public-url.ts'
import { findReadScopes } from './registry/catalog.ts'
import { memoryLimits } from './state/memory/limits.ts'

/** The guards, then the doors that they stand at. */
export async function mountRoutes(
  app: FastifyInstance,
  parts: Parts,
  { plan, log }: { plan: Pick<Plan, 'identity' | 'metadataUrl'>; log: FastifyBaseLogger },
): Promise<void> {
  const { settings, state, keys, services, sessions, inflight, streams, bodies } = parts
  const { maxBodyBytes, mcpPath } = settings
  const { identity, metadataUrl } = plan
  const sessionParts = { services, sessions, inflight, streams, bodies, log, maxBodyBytes }
  await app.register(audit, { isTimed: services.audit.isOn })
  await app.register(errors, { ...services, bodies })
  await app.register(security, settings)
  await app.register(load)
  await app.register(rateLimit, {
    settings,
    limits: countedLimits(state.requestLimits, 'requests', services.metrics),
    failures: countedLimits(memoryLimits(), 'failures', services.metrics),
  })
  await app.register(auth, {
    keys,
    claims: claimRules(settings),
    metadataUrl,
    scopes: headers => findNeededScopes(headers, services.catalog),
    onNewToken: isVerified => services.metrics.limited('tokens', isVerified ? 'allowed' : 'limited'),
  })
  await app.register(mcpRoutes, { ...sessionParts, path: mcpPath })
  const sseUrl = sseUrlOf(settings)
  if (settings.httpSse) {
    await app.register(httpSseRoutes, {
      ...sessionParts,
      publicPrefix: pathPrefix(settings),
      metadataUrl: metadataUrl && metadataUrlOf(sseUrl, app.prefix),
    })
  }
  if (metadataUrl === undefined) return
  // The path without the endpoint's is that of the first, where an app registers several.
  const isFree = (path: string) => !app.hasRoute({ method: 'GET', url: `${app.prefix}${path}` })
  const document = {
    name: identity.title ?? identity.name,
    authorizationServers: authorizationServersOf(settings),
    scopes: () => settings.scopesSupported ?? findReadScopes(services.catalog),
  }
  const paths = metadataPaths(mcpPath, publicUrlOf(settings))
  await app.register(wellKnownRoutes, { ...document, resource: resourceOf(settings), paths: paths.filter(isFree) })
  if (!settings.httpSse) return
  const ssePaths = metadataPaths('/sse', sseUrl).filter(path => !paths.includes(path))
  await app.register(wellKnownRoutes, { ...document, resource: sseUrl.href, paths: ssePaths.filter(isFree) })
}
