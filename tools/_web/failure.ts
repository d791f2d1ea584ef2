// Turns a failed request into a sentence that tells the model what to do next. Addresses and causes
// go to the log only.
import { ToolError } from 'toolrack'

const UNTRUSTED = /CERT|^UNABLE_TO_|SELF_SIGNED/
const NO_TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'ESERVFAIL', 'ENONAME'])
const BROKEN = /^(HPE_|Z_|ERR__ERROR_|UND_ERR_(SOCKET|HEADERS_OVERFLOW|INVALID_ARG|RES_|INVALID_RETURN))/
const LARGE_HEADERS = new Set(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'])

/** @param who the subject of the sentence: a host, or its role */
export function failureOf(error: unknown, who: string): unknown {
  const code = codeOf(error)
  // Already a refusal, or a bug.
  if (error instanceof ToolError || code === '') return error
  return new ToolError(`${who} ${whatFailed(code)}`, { cause: error })
}

function whatFailed(code: string): string {
  if (UNKNOWN.has(code)) return 'is not known, or cannot be looked up now. Check how it is spelled, then try once more.'
  if (UNTRUSTED.test(code))
    return 'has a certificate that cannot be trusted, so nothing was asked of it. Use another site.'
  if (NO_TLS.test(code))
    return 'does not speak TLS as it should, so nothing was asked of it. Check whether its URL begins with http:.'
  if (LARGE_HEADERS.has(code)) return 'sends larger headers than are read here. Use another site.'
  if (BROKEN.test(code)) return 'broke off, or does not speak HTTP as it should. Try again in a minute, but only once.'
  return 'cannot be reached. Try again in a minute.'
}

export function tooSlow(who: string, ms: number): ToolError {
  return new ToolError(`${who} did not answer in full within ${ms / 1000} s. Try again in a minute, or use another.`)
}

// If several addresses were tried, the first error is enough.
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return name === 'HTTPParserError' ? 'HPE_' : ''
}
