// Reads a tool's request for a token. The tool may run in another process, so everything is checked.
import { isObject } from 'toolrack/protocol'
import { cutText } from 'toolrack/text'
import type { Service } from './token-endpoint.ts'

const MAX_NAME = 2048
const MAX_SCOPES = 64
const NAME = /^[\x21-\x7e]+$/

/** @throws TypeError naming the expected value */
export function parseTokenRequest(request: unknown): Service {
  const { audience, resource, scope } = isObject(request) ? request : {}
  const service = { audience: readName(audience), resource: readName(resource), scopes: readScopes(scope) }
  if (service.audience === undefined && service.resource === undefined && service.scopes.length === 0)
    throw new TypeError('tokenFor: expected an audience, a resource or a scope, such as { audience: "reports" }')
  return service
}

const MAX_SHOWN = 200

/** The name of the service in messages. */
export const nameService = ({ audience, resource, scopes }: Service): string =>
  cutText(audience ?? resource ?? scopes.join(' '), MAX_SHOWN)

function readName(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= MAX_NAME && NAME.test(value)) return value
  throw new TypeError(`tokenFor: expected an audience or a resource of at most ${MAX_NAME} visible ASCII characters`)
}

/** Sorted and without repetitions, so that equal requests share a token. */
function readScopes(value: unknown): readonly string[] {
  const words: unknown = typeof value === 'string' ? value.split(' ') : value === undefined ? [] : value
  const isList = Array.isArray(words) && words.length <= MAX_SCOPES && words.every(isScope)
  if (!isList || words.join(' ').length > MAX_NAME)
    throw new TypeError(`tokenFor: expected a scope: at most ${MAX_SCOPES} words, separated by spaces or as a list`)
  return [...new Set(words.filter(word => word !== ''))].sort()
}

const isScope = (word: unknown): word is string => typeof word === 'string' && (word === '' || NAME.test(word))
