// Registers the guard plugins, then the routes.
import type { FastifyInstance } from 'fastify'
import audit from '../plugins/audit.ts'
import auth from '../plugins/auth.ts'
import errors from '../plugins/errors.ts'
import { GUARDS, type Guards } from '../plugins/guards.ts'
import load from '../plugins/load.ts'
import rateLimit from '../plugins/rate-limit.ts'
import security from '../plugins/security.ts'
import type { ResolvedOptions } from '../src/config/options.ts'
import { getMetadataPaths, getPathUrl, getPublicUrl, getResourceUri } from '../src/config/public-url.ts'
import { listAuthorizationServers } from '../src/credentials.ts'
import { findNamedRequest, findNeededScopes } from '../src/methods/index.ts'
import { findReadScopes } from '../src/registry/catalog.ts'
import type { Runtime } from '../src/runtime.ts'
import { MemoryLimits } from '../src/state/memory-limits.ts'
import { NAMED } from '../src/transport/request-facts.ts'
import { mountDoors } from './doors.ts'
import { mcpRoutes } from './mcp.ts'
import { createPage, rootRoutes } from './page.ts'
import { wellKnownRoutes } from './well-known.ts'

export async function mountRoutes(app: FastifyInstance, runtime: Runtime, resolved: ResolvedOptions): Promise<void> {
  const { identity, metadataUrl } = resolved
  const { settings, state, owners, ways, access, catalog, hooks, metrics, doors } = runtime
  app.decorate(GUARDS, {} as Guards)
  await app.register(audit, { isTimed: true })
  await app.register(errors, runtime)
  await app.register(security, settings)
  await app.register(load)
  await app.register(rateLimit, {
    settings,
    owners,
    limits: metrics.countLimits(state.requestLimits, 'requests'),
    failures: metrics.countLimits(new MemoryLimits(), 'failures'),
  })
  await app.register(auth, {
    ways,
    metadataUrl,
    hasMetadata: () => listAuthorizationServers(ways).length > 0,
    scopes(request) {
      const named = request[NAMED] ?? findNamedRequest(request.headers)
      return access.toClientScopes(named === undefined ? [] : findNeededScopes(named, runtime))
    },
  })
  const page = createPage(runtime, resolved)
  await app.register(mcpRoutes, { runtime, page })
  // In another app, `/` belongs to the app.
  if (!resolved.isPlugin && settings.mcpPath !== '/') await app.register(rootRoutes, { runtime, page })
  await mountDoors(app, runtime, resolved)
  if (metadataUrl === undefined) return
  // An app may register several endpoints; the first one owns the path without a suffix.
  const isFree = (path: string) => !app.hasRoute({ method: 'GET', url: `${app.prefix}${path}` })
  const document = {
    name: identity.title ?? identity.name,
    authorizationServers: () => listAuthorizationServers(ways),
    scopes: () =>
      access.toClientScopes(settings.scopesSupported ?? findReadScopes(catalog, entry => hooks.isPublic(entry))),
  }
  const paths = getMetadataPaths(settings.mcpPath, getPublicUrl(settings))
  await app.register(wellKnownRoutes, { ...document, resource: getResourceUri(settings), paths: paths.filter(isFree) })
  for (const path of doors.resources) {
    const url = getPathUrl(settings, path)
    const ofDoor = getMetadataPaths(path, url).filter(each => !paths.includes(each))
    await app.register(wellKnownRoutes, { ...document, resource: url.href, paths: ofDoor.filter(isFree) })
  }
}
