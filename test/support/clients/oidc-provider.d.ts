// The few parts of oidc-provider that the tests touch; it ships no declarations.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Missing {
    readonly missingOIDCScope?: string[]
    readonly missingResourceScopes?: Record<string, string[]>
  }

  interface Interaction {
    readonly prompt: { readonly name: string; readonly details: Missing }
    readonly params: Record<string, string>
    readonly session?: { readonly accountId: string }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    rejectResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (owner: {
      accountId: string
      clientId: string
    }) => Grant
    callback(): RequestListener
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
