// `app.toolrack`: what a program may do with the server that it runs.
import type { Parts } from './assemble.ts'
import type { Built, Definition } from './registry/catalog.ts'
import { kindOf } from './registry/definition.ts'
import { register } from './registry/register.ts'
import { type StartUp, startUpOf } from './start-up.ts'

export class Face {
  readonly #parts: Parts
  readonly #isPlugin: boolean

  constructor(parts: Parts, { isPlugin = false } = {}) {
    this.#parts = parts
    this.#isPlugin = isPlugin
  }

  /**
   * Serves one or several definitions, in place of those of the same name, and announces what changed.
   *
   * @throws Error naming what cannot be served; the others are
   */
  add(definitions: Definition | readonly Definition[]): void {
    register(this.#parts.services.catalog, Array.isArray(definitions) ? definitions : [definitions as Definition])
  }

  /** Takes away a tool by its name, or any definition. @returns whether it was served */
  remove(what: string | Definition): boolean {
    const entry = this.#find(what)
    if (entry !== undefined) this.#parts.services.catalog.change([entry], [])
    return entry !== undefined
  }

  /** Tells the subscribers of a resource that it has changed. */
  resourceUpdated(uri: string): void {
    this.#parts.services.changes.publish({ kind: 'updated', uri })
  }

  /** Where it is, who may call, what it serves, what is off and how to turn it on. */
  get startUp(): StartUp {
    const { settings, services } = this.#parts
    const { audit, catalog, tracing } = services
    const rig = { isPlugin: this.#isPlugin, isTraced: tracing !== undefined, isAudited: audit.isOn }
    return startUpOf(settings, catalog, rig)
  }

  /** Variables of the environment that its tools say they read. */
  get toolSettings(): ReadonlySet<string> {
    return this.#parts.services.catalog.toolSettings
  }

  /** What Prometheus reads, for a route of the app's own. */
  metrics(): Promise<string> {
    return this.#parts.services.metrics.text()
  }

  /** Reads the tools folder again. */
  async reload(): Promise<void> {
    await this.#parts.folder?.load()
  }

  #find(what: string | Definition): Built | undefined {
    const { tools, resources, templates, prompts } = this.#parts.services.catalog
    if (typeof what === 'string') return tools.find(what)
    const { name, uri, uriTemplate } = what as { name: string; uri?: string; uriTemplate?: string }
    switch (kindOf(what)) {
      case 'resource':
        return uri === undefined ? templates.find(uriTemplate ?? '') : resources.find(uri)
      case 'prompt':
        return prompts.find(name)
      default:
        return tools.find(name)
    }
  }
}
