// server/discover: versions, capabilities, identity. Spec 2026-07-28: server/discover.
import type { JsonObject } from '../protocol/messages.ts'
import { VERSIONS } from '../protocol/revisions/index.ts'
import { NoParams, TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import type { Catalog } from '../registry/catalog.ts'
import type { Method, Uses } from './method.ts'

export const discover: Method<'catalog' | 'instructions' | 'fullServerMeta' | 'settings'> = {
  params: NoParams,
  serve(_exchange, { catalog, instructions, fullServerMeta, settings }) {
    return {
      result: {
        resultType: 'complete',
        supportedVersions: VERSIONS,
        capabilities: getServerCapabilities({ catalog, settings }),
        ...(instructions === undefined ? {} : { instructions }),
        ttlMs: settings.listTtlMs,
        cacheScope: 'public',
      },
      serverMeta: fullServerMeta,
    }
  },
}

/**
 * Lists only capabilities for which something is registered. Spec 2026-07-28: schema,
 * ServerCapabilities.
 */
export function getServerCapabilities({ catalog, settings }: Uses<'catalog' | 'settings'>): JsonObject {
  const extensions = { ...settings.extensions, ...(hasTasks(catalog) && { [TASKS_EXTENSION]: {} }) }
  return {
    ...(settings.clientLogging && { logging: {} }),
    ...(hasTools(catalog) && { tools: { listChanged: true } }),
    ...(hasResources(catalog) && { resources: { subscribe: true, listChanged: true } }),
    ...(hasPrompts(catalog) && { prompts: { listChanged: true } }),
    ...(hasCompletions(catalog) && { completions: {} }),
    ...(Object.keys(extensions).length > 0 && { extensions }),
  }
}

export const hasTools = ({ tools }: Catalog) => tools.wasUsed
export const hasResources = ({ resources, templates }: Catalog) => resources.wasUsed || templates.wasUsed
export const hasTasks = ({ hasTasks }: Catalog) => hasTasks
export const hasPrompts = ({ prompts }: Catalog) => prompts.wasUsed

export function hasCompletions({ prompts, templates }: Catalog): boolean {
  return (
    prompts.all().some(prompt => prompt.arguments.some(({ complete }) => complete !== undefined)) ||
    templates.all().some(({ complete }) => Object.keys(complete).length > 0)
  )
}
