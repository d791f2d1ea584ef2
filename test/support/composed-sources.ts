// The sources of a server without the server.

import { defineTool, type ToolDefinition } from '../../src/index.ts'
import { Catalog, createToolFilter } from '../../src/registry/catalog.ts'
import { ChangeEmitter } from '../../src/registry/changes.ts'
import { Sources } from '../../src/registry/sources.ts'
import { fakeLog } from './fakes.ts'
import { sourceHost } from './source-host.ts'

/** No variable `MISSING` is set, and the operator excludes the tool `excluded`. */
export function composeSources() {
  const changes = new ChangeEmitter()
  const announced: string[] = []
  changes.subscribe({ onChange: ({ kind }) => announced.push(kind), end: () => {} })
  const hasSetting = (name: string) => name !== 'MISSING'
  const catalog = new Catalog(changes, { hasSetting, toolFilter: createToolFilter(undefined, ['excluded']) })
  const log = fakeLog()
  const sources = new Sources(catalog, log as never, {
    explain: thrown => (thrown as Error).message,
    host: sourceHost({ catalog, log: log as never }),
  })
  const listTools = () => catalog.tools.all().map(({ listed }) => `${listed['name']}: ${listed['description']}`)
  return { catalog, log, sources, announced, listTools }
}

/** A tool that says what it is. */
export const named = (name: string, description = name): ToolDefinition =>
  defineTool({ name, description, handler: () => description })
