// The file of issuers (ISSUERS_FILE): each with keys, audience, rules and claims of its own. Parsed
// strictly, since a misspelt rule would let in more than the operator means.

import type { IntrospectionSpec } from '../auth/introspection.ts'
import { INTROSPECTION_FORMS, type IntrospectionFormName } from '../auth/introspection-forms.ts'
import { parseJson } from '../protocol/json.ts'
import { isObject, type JsonObject } from '../protocol/messages.ts'
import { findNearestName } from '../text/nearest-name.ts'
import { cutText } from '../text/one-line.ts'
import { findIssuerConflict, type IssuerSettings } from './issuer-settings.ts'
import {
  algorithms,
  choice,
  claimNames,
  claimPatterns,
  flag,
  issuers,
  nonEmptyText,
  type SettingType,
  safeUrl,
  scopeClaims,
  scopePrefix,
  tellingPatterns,
  texts,
} from './setting-types.ts'

const MAX_ISSUERS = 100

/** The message names the entry and what was expected. */
export class IssuersFileError extends Error {
  override name = 'IssuersFileError'
}

type Types<T> = { readonly [F in keyof T]-?: SettingType<Exclude<T[F], undefined>, unknown> }

const INTROSPECTION: Types<IntrospectionSpec> = {
  form: choice(...(Object.keys(INTROSPECTION_FORMS) as IntrospectionFormName[])),
  url: safeUrl,
  clientId: nonEmptyText,
  clientSecretFile: nonEmptyText,
  tokenPrefix: nonEmptyText,
}

const FIELDS: Types<Omit<IssuerSettings, 'secret'>> = {
  issuer: issuers,
  jwksUrl: safeUrl,
  algorithms,
  audience: texts,
  audienceOptional: flag,
  clientIds: texts,
  requiredClaims: claimPatterns,
  scopeClaims,
  scopePrefix,
  claims: claimNames,
  accessTokens: tellingPatterns,
  introspection: { read: readIntrospection, parse: readIntrospection },
}

/** @throws IssuersFileError */
export function parseIssuersFile(bytes: Buffer): readonly IssuerSettings[] {
  const document = parseDocument(bytes)
  const entries = isObject(document) ? document['issuers'] : undefined
  if (!isObject(document) || !Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ISSUERS)
    throw new IssuersFileError(`expected an object with the array "issuers", of 1 to ${MAX_ISSUERS} entries`)
  const other = Object.keys(document).find(name => name !== 'issuers')
  if (other !== undefined) throw new IssuersFileError(`${quote(other)} is not known; expected "issuers" alone`)
  return entries.map((entry: unknown, place) => explain(`issuers[${place}]`, () => parseEntry(entry)))
}

function parseDocument(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch (cause) {
    throw new IssuersFileError('expected JSON in UTF-8', { cause })
  }
}

function parseEntry(entry: unknown): IssuerSettings {
  if (!isObject(entry)) throw new Error('expected an object')
  const settings: IssuerSettings = readMembers(entry, FIELDS)
  if (settings.issuer === undefined) throw new Error('issuer: expected the iss of its tokens')
  const conflict = findIssuerConflict(settings, field => field)
  if (conflict !== undefined) throw new Error(conflict)
  return settings
}

function readIntrospection(value: unknown): IntrospectionSpec {
  if (!isObject(value)) throw new Error('expected an object, such as {"clientId":"toolrack","clientSecretFile":"…"}')
  const read = { form: 'rfc7662' as const, ...readMembers(value, INTROSPECTION) } as IntrospectionSpec
  const { needsClient } = INTROSPECTION_FORMS[read.form]
  if (needsClient && (read.clientId === undefined || read.clientSecretFile === undefined))
    throw new Error('expected clientId and clientSecretFile, by which the issuer knows this server')
  return read
}

/** @throws Error naming the member */
function readMembers(object: JsonObject, types: Readonly<Record<string, SettingType<unknown, unknown>>>): object {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (!Object.hasOwn(types, name)) throw new Error(describeUnknown(name, Object.keys(types)))
      const { read, parse } = types[name]!
      // Text may be written as in the environment, with commas.
      return [name, explain(name, () => (typeof value === 'string' ? parse(value) : read(value)))]
    }),
  )
}

function describeUnknown(name: string, known: readonly string[]): string {
  const meant = findNearestName(name, known)
  return `${quote(name)} is not known; ${meant === undefined ? `expected ${known.join(', ')}` : `did you mean ${meant}?`}`
}

function explain<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new IssuersFileError(`${place}: ${(error as Error).message}`)
  }
}

const MAX_SHOWN = 40
const quote = (name: string) => JSON.stringify(cutText(name, MAX_SHOWN))
