// The parts of oidc-provider that the broker and the tests use. It ships no declarations.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Missing {
    readonly missingOIDCScope?: string[]
    readonly missingResourceScopes?: Record<string, string[]>
  }

  export interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string; readonly details: Missing }
    readonly params: Record<string, string>
    readonly session?: { readonly accountId: string }
    /** Where the browser goes next, once there is a result. */
    readonly returnTo: string
    result?: object
    persist(): Promise<void>
  }

  export interface Grant {
    readonly accountId: string
    /** Scopes by resource. */
    readonly resources: Record<string, string>
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    rejectResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface Client {
    readonly clientId: string
    readonly clientName?: string
    readonly redirectUris: readonly string[]
    /** True if the client id is the URL of its metadata. */
    readonly clientIdMetadataDocument?: boolean
    metadata(): Record<string, unknown>
  }

  /** A part of Koa's context. */
  export interface Context {
    readonly path: string
    readonly req: IncomingMessage
    status: number
    type: string
    body: unknown
    readonly query: Record<string, string | string[] | undefined>
    readonly response: { get(name: string): string }
    remove(header: string): void
    set(headers: Record<string, string>): void
    readonly oidc: {
      readonly route: string
      readonly provider: Provider
      readonly client?: Client
      readonly params?: Readonly<Record<string, string | undefined>>
      readonly result?: { readonly consent?: { readonly grantId: string; readonly browser: string } }
      readonly entities: {
        readonly RotatedRefreshToken?: { readonly remainingTTL: number }
        readonly Grant?: Grant
        readonly Account?: { readonly accountId: string }
      }
    }
  }

  /** Of a registered grant type. */
  export interface GrantContext {
    readonly oidc: {
      readonly client: Readonly<Record<string, unknown>>
      readonly params: Readonly<Record<string, string | undefined>>
      entity(name: 'Account', value: { readonly accountId: string }): void
    }
    body: object
  }

  interface AccessToken {
    scope: string
    resourceServer: object
    readonly expiration: number
    save(): Promise<string>
  }

  export type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>

  export default class Provider {
    constructor(issuer: string, configuration: object)
    /** Of the current request; undefined outside the library's handlers. */
    static readonly ctx: Context | undefined
    proxy: boolean
    readonly Grant: (new (owner: {
      accountId: string
      clientId: string
    }) => Grant) & {
      find(id: string): Promise<Grant | undefined>
    }
    readonly Interaction: { find(uid: string): Promise<Interaction | undefined> }
    readonly Client: {
      find(id: string): Promise<Client | undefined>
      readonly adapter: { upsert(id: string, payload: object, ttlS?: number): Promise<void> }
    }
    readonly AccessToken: new (facts: {
      accountId: string
      client: object
      gty: string
    }) => AccessToken
    readonly ResourceServer: new (
      audience: string,
      info: object,
    ) => object
    registerGrantType(
      name: string,
      handler: (context: GrantContext) => Promise<void>,
      parameters: readonly string[],
    ): void
    use(middleware: Middleware): void
    on(event: string, listener: (context: Context, ...rest: never[]) => void): this
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }

  export class Check {
    constructor(reason: string, description: string, error: string, check: (context: Context) => boolean)
  }
  export const interactionPolicy: {
    readonly Check: typeof Check
    readonly Prompt: new (about: { name: string; requestable: boolean }, ...checks: Check[]) => object
  }

  interface ErrorClass {
    new (description?: string): Error
  }
  export const errors: {
    readonly CustomOIDCProviderError: new (error: string, description: string) => Error
    readonly InvalidClientAuth: ErrorClass
    readonly InvalidClientMetadata: ErrorClass
    readonly InvalidGrant: ErrorClass
    readonly InvalidRequest: ErrorClass
    readonly InvalidTarget: ErrorClass
    readonly TemporarilyUnavailable: ErrorClass
  }
}
