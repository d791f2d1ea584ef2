// `app.toolrack`: what a program may do with the server that it runs.
import { describeStartUp, type StartUpReport } from './observability/banner.ts'
import type { CatalogEntry, Definition } from './registry/catalog.ts'
import { register } from './registry/catalog.ts'
import { findDefinitionKind } from './registry/definition.ts'
import type { Runtime } from './runtime.ts'

export class Toolrack {
  readonly #runtime: Runtime
  readonly #isPlugin: boolean

  constructor(runtime: Runtime, { isPlugin = false } = {}) {
    this.#runtime = runtime
    this.#isPlugin = isPlugin
  }

  /**
   * Serves one or several definitions, in place of those of the same name, and announces what changed.
   *
   * @throws Error naming what cannot be served; the others are
   */
  add(definitions: Definition | readonly Definition[]): void {
    register(this.#runtime.catalog, Array.isArray(definitions) ? definitions : [definitions as Definition])
  }

  /** Takes away a tool by its name, or any definition. @returns whether it was served */
  remove(what: string | Definition): boolean {
    const entry = this.#find(what)
    if (entry !== undefined) this.#runtime.catalog.change([entry], [])
    return entry !== undefined
  }

  /** Tells the subscribers of a resource that it has changed. */
  resourceUpdated(uri: string): void {
    this.#runtime.changes.publish({ kind: 'updated', uri })
  }

  /** Where it is, who may call, what it serves, what is off and how to turn it on. */
  get startUp(): StartUpReport {
    const { settings, audit, catalog, tracing } = this.#runtime
    const features = { isPlugin: this.#isPlugin, isTraced: tracing !== undefined, isAudited: audit.isOn }
    return describeStartUp(settings, catalog, features)
  }

  /** Variables of the environment that its tools say they read. */
  get toolSettings(): ReadonlySet<string> {
    return this.#runtime.catalog.toolSettings
  }

  /** What Prometheus reads, for a route of the app's own. */
  metrics(): Promise<string> {
    return this.#runtime.metrics.text()
  }

  /** Reads the tools folder again. */
  async reload(): Promise<void> {
    await this.#runtime.folder?.load()
  }

  #find(what: string | Definition): CatalogEntry | undefined {
    const { tools, resources, templates, prompts } = this.#runtime.catalog
    if (typeof what === 'string') return tools.find(what)
    const { name, uri, uriTemplate } = what as { name: string; uri?: string; uriTemplate?: string }
    switch (findDefinitionKind(what)) {
      case 'resource':
        return uri === undefined ? templates.find(uriTemplate ?? '') : resources.find(uri)
      case 'prompt':
        return prompts.find(name)
      default:
        return tools.find(name)
    }
  }
}
