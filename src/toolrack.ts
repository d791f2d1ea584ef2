// `app.toolrack`: the server's API for the program that embeds it.
import { type ServeRequest, serveRequest } from './doors/serve-request.ts'
import type { EndedListener } from './observability/ended-request.ts'
import type { RequestEnded } from './observability/request-ended.ts'
import type { StartUpReport } from './observability/start-up.ts'
import type { Definition } from './registry/catalog.ts'
import type { Served } from './request/served.ts'
import type { Runtime } from './runtime.ts'

type ReportStart = (runtime: Runtime) => StartUpReport

/** A running server: `app.toolrack` changes and reloads what it serves. */
export class Toolrack {
  readonly #runtime: Runtime
  readonly #reportStart: ReportStart

  /** @internal */
  constructor(runtime: Runtime, reportStart: ReportStart) {
    this.#runtime = runtime
    this.#reportStart = reportStart
  }

  /** The parts of a server; the program that embeds it cannot reach them. @internal */
  static runtime(toolrack: Toolrack): Runtime {
    return toolrack.#runtime
  }

  /**
   * Serves definitions, replaces those of the same name, and announces the change.
   *
   * @throws Error naming each invalid definition; the valid ones are served
   */
  add(definitions: Definition | readonly Definition[]): void {
    this.#runtime.code.add(Array.isArray(definitions) ? definitions : [definitions as Definition])
  }

  /**
   * Removes a tool by name, or any definition. If another source has the same name, its definition
   * is served then. A definition of another source stays away until that source changes it.
   *
   * @returns whether it was served
   */
  remove(what: string | Definition): boolean {
    const { catalog, code, sources } = this.#runtime
    const entry = catalog.find(what)
    if (entry === undefined) return false
    if (!code.remove(what)) sources.remove(entry)
    return true
  }

  /**
   * Serves one request for a door of the program: finds, checks, runs and records it. An error is an
   * answer, too.
   *
   * @returns the result in the shape of the newest revision
   * @throws TypeError for a caller without a subject or scopes
   */
  serve(request: ServeRequest): Promise<Served> {
    return serveRequest(request, this.#runtime)
  }

  /** Notifies the subscribers of a resource. */
  resourceUpdated(uri: string): void {
    this.#runtime.catalog.announceUpdate(uri)
  }

  /** The addresses, the access rules, the definitions served, and which features are off. */
  get startUp(): StartUpReport {
    return this.#reportStart(this.#runtime)
  }

  /** Environment variables that the tools declare. */
  get toolSettings(): ReadonlySet<string> {
    return this.#runtime.catalog.toolSettings
  }

  /**
   * Calls the listener at the end of each request, refusal and task. Logs its errors.
   *
   * @returns a function that removes it
   * @throws TypeError for another event, or if the listener is not a function
   */
  on(event: 'ended', listener: EndedListener): () => void {
    if (event !== 'ended') throw new TypeError(`${String(event)}: no such event; there is ended`)
    if (typeof listener !== 'function') throw new TypeError('ended: expected a function that listens')
    const { events, toEndedRequest } = this.#runtime
    const hear = (ended: RequestEnded) => listener(toEndedRequest(ended))
    events.on(hear)
    return () => events.off(hear)
  }

  /** The metrics in Prometheus format, for a route of the app's own. */
  metrics(): Promise<string> {
    return this.#runtime.metrics.text()
  }

  /**
   * Reloads the secrets of files, the API keys, the issuers, the tools folders and the sources.
   * Rules stay in force even if their `_hooks.ts` is gone.
   *
   * @param options `dropRules: true` drops such rules
   */
  async reload({ dropRules = false }: { dropRules?: boolean } = {}): Promise<void> {
    this.#runtime.audit.record({ event: 'reload', dropRules })
    this.#runtime.liveSettings.reload()
    for (const way of this.#runtime.ways) await way.reload()
    await this.#runtime.sources.reload({ dropRules })
  }

  /** Continues in the file that is now at the path of the audit, after a rotation. */
  reopenAudit(): void {
    this.#runtime.audit.reopen()
  }
}
