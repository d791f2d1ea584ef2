// Tokens for a test without an authorization server.

import type { TokenDouble } from 'toolrack/definitions'
import type { CallerTokens, LiveSecrets } from 'toolrack/execution'
import { untilCancelled } from './exchanged-tokens.ts'
import { parseTokenRequest } from './token-request.ts'

export function createTokenDouble(double: TokenDouble, liveSecrets: LiveSecrets): CallerTokens {
  return {
    subjectTokens: undefined,
    async tokenFor({ caller, cancellation }, request) {
      const { audience, resource, scopes } = parseTokenRequest(request)
      const scope = scopes.length > 0 ? scopes.join(' ') : undefined
      const asked = (async () => double({ audience, resource, scope, caller: caller! }))()
      const token = await untilCancelled(asked, cancellation)
      if (typeof token !== 'string') throw new TypeError('tokenFor of the test: expected the text of a token')
      liveSecrets.add(token, Number.POSITIVE_INFINITY)
      return token
    },
    close() {},
  }
}
