// Checks that a caller has all scopes that an operation needs.
// Spec 2026-07-28: basic/authorization, "Runtime Insufficient Scope Errors".
import { McpError } from '../protocol/errors.ts'
import { getHeader, type Headers } from '../protocol/headers.ts'
import type { Caller, Exchange } from '../request/exchange.ts'
import { formatChallenge } from './challenge.ts'
import { type Hierarchy, satisfies } from './scopes.ts'

export interface AccessRules {
  readonly hierarchy: Hierarchy | undefined
  toClientScopes(scopes: readonly string[]): readonly string[]
  /** The protected resource metadata (RFC 9728); undefined if there is none. */
  readonly metadataUrl: string | undefined
  /** Refused calls become results with `isError`, for clients that fail on 403. */
  readonly deniesByResult: boolean
  /** Whether a page of another origin sent the request, which the operator has not named. */
  isOtherPage(headers: Headers): boolean
  /** What lets a page call all, as the operator writes it. */
  toOriginSetting(origin: string): string
  /** Whether a caller may see the tool of a task, beside its scopes. */
  isTaskVisible(task: TaskAccess, caller: Caller | undefined, client: Client): boolean
}

type CalledTool = { readonly key: string; readonly listed: Readonly<Record<string, unknown>> }

type Client = Pick<Exchange, 'capabilities'>

/** A task's tool and its scopes. */
export interface TaskAccess {
  readonly tool: string
  readonly scopes: readonly string[]
  /** What `visible` rules decide by if the tool is not served. */
  readonly absent?: { readonly info: unknown; readonly hasOwnRule: boolean } | undefined
}

export class Access {
  readonly #rules: AccessRules

  constructor(rules: AccessRules) {
    this.#rules = rules
  }

  get deniesByResult(): boolean {
    return this.#rules.deniesByResult
  }

  /** The scopes that a client has to ask for, by their names at the authorization server. */
  toClientScopes(scopes: readonly string[]): readonly string[] {
    return this.#rules.toClientScopes(scopes)
  }

  /** Without access control there is no caller, and all is allowed. */
  may(caller: Caller | undefined, scopes: readonly string[]): boolean {
    if (caller === undefined) return true
    return scopes.every(scope => satisfies(caller.scopes, scope, this.#rules.hierarchy))
  }

  /**
   * Without access control, a page of another origin may call only what says that it reads.
   *
   * @throws McpError FORBIDDEN_ORIGIN (403) naming the setting
   */
  assertPageMay({ caller, headers }: Pick<Exchange, 'caller' | 'headers'>, tool: CalledTool): void {
    const annotations = tool.listed['annotations'] as { readonly readOnlyHint?: unknown } | undefined
    if (caller !== undefined || annotations?.readOnlyHint === true || !this.#rules.isOtherPage(headers)) return
    const origin = getHeader(headers, 'origin')
    if (origin === undefined)
      throw new McpError('FORBIDDEN_ORIGIN', `Sec-Fetch-Site: ${getHeader(headers, 'sec-fetch-site')}`)
    const setting = this.#rules.toOriginSetting(origin)
    throw new McpError(
      'FORBIDDEN_ORIGIN',
      `a page of ${origin} may call only read-only tools, not ${tool.key}; ${setting} lets it call all`,
    )
  }

  isTaskVisible({ caller, capabilities }: Client & Pick<Exchange, 'caller'>, task: TaskAccess): boolean {
    return this.#rules.isTaskVisible(task, caller, { capabilities })
  }

  mayReadTask(reader: Client & Pick<Exchange, 'caller'>, task: TaskAccess): boolean {
    return this.isTaskVisible(reader, task) && this.may(reader.caller, task.scopes)
  }

  /** @throws McpError INSUFFICIENT_SCOPE (403) with a challenge that names all scopes */
  assertMay(
    caller: Caller | undefined,
    { scopes, key }: { readonly scopes: readonly string[]; readonly key: string },
  ): void {
    if (this.may(caller, scopes)) return
    const description = `${key} needs ${scopes.join(' ')}`
    const asked = this.toClientScopes(scopes)
    const challenge = formatChallenge(this.#rules.metadataUrl, {
      error: 'insufficient_scope',
      description,
      scopes: asked,
    })
    throw new McpError('INSUFFICIENT_SCOPE', description, { challenge })
  }
}
