// Checks the access token by its claims. It only decodes the token.
import type { JsonObject } from 'toolrack'
import { toVisibleLine } from 'toolrack/text'
import { assertAccessToken, type ParsedToken, parseToken } from 'toolrack/tokens'
import type { CheckContext, Fault } from '../check-context.ts'

/** Of `Date`. */
const MAX_DATE_MS = 8.64e15
const REFUSED = 'Servers refuse it.'

const FAULTS = {
  kind: { id: 'token-kind', severity: 'warning', effect: REFUSED, fix: 'send the access token' },
  audience: {
    id: 'token-audience',
    severity: 'warning',
    effect: 'Servers refuse a token that is not for them.',
    fix: 'ask for it with resource=<this URL> (RFC 8707), unless the server expects another audience',
  },
  expired: { id: 'token-expired', severity: 'problem', effect: REFUSED, fix: 'get a new one' },
  issuer: { id: 'token-issuer', severity: 'warning', effect: REFUSED, fix: 'use its issuer' },
} as const satisfies Record<string, Fault>

/** Checks claims only. The server checks the signature. */
export function checkToken(context: CheckContext, token: string, issuers: readonly string[]): void {
  const parsed = readToken(token)
  if (parsed === undefined) context.ok('the token is opaque: what it is for cannot be read')
  else {
    checkKind(context, parsed)
    checkClaims(context, parsed.payload, issuers)
  }
}

/** @returns undefined for an opaque token */
function readToken(token: string): ParsedToken | undefined {
  try {
    return parseToken(token)
  } catch {
    return undefined
  }
}

// A client that signs in by OpenID Connect has both kinds, and may send an ID token by mistake.
// Services that share a secret do not issue ID tokens with it.
function checkKind(context: CheckContext, token: ParsedToken): void {
  try {
    assertAccessToken(token, { hasIdTokens: !token.header.alg.startsWith('HS') })
  } catch (error) {
    context.report(FAULTS.kind, `the token looks like none for access: ${(error as Error).message}`)
  }
}

function checkClaims(context: CheckContext, { aud, exp, iss }: JsonObject, issuers: readonly string[]): void {
  const audiences = [aud].flat().filter(each => typeof each === 'string')
  const expires = Number(exp) * 1000
  const names = audiences.length === 0 ? 'nobody (no aud)' : toVisibleLine(audiences.join(', '))
  if (!audiences.includes(context.url.href))
    context.report(FAULTS.audience, `the token is for ${names}, not for ${context.url.href}`)
  if (Math.abs(expires) < MAX_DATE_MS && expires <= Date.now())
    context.report(FAULTS.expired, `the token has expired at ${new Date(expires).toISOString()}`)
  if (issuers.length > 0 && !issuers.includes(String(iss)))
    context.report(FAULTS.issuer, `the token is of ${toVisibleLine(String(iss))}, which the metadata does not name`)
}
