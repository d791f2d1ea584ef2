// The file of issuers (ISSUERS_FILE). Each issuer has its own keys, audience, rules and claims. Parsed
// strictly: with a misspelt rule, the server would accept more than the operator wants.

import type { JsonObject } from 'toolrack'
import { isObject, parseJson } from 'toolrack/protocol'
import {
  algorithms,
  choice,
  claimNames,
  claimPatterns,
  findIssuerConflict,
  flag,
  type IssuerSettings,
  issuers,
  nonEmptyText,
  readSettingFile,
  type SettingType,
  safeUrl,
  scopeClaims,
  scopePrefix,
  tellingPatterns,
  texts,
} from 'toolrack/settings'
import { cutText, findNearestName } from 'toolrack/text'
import type { IntrospectionSettings } from './introspection.ts'
import { INTROSPECTION_FORMS, type IntrospectionForm, type IntrospectionFormName } from './introspection-forms.ts'
import { IssuersFileError } from './issuer-specs.ts'

const MAX_ISSUERS = 100
const MAX_ISSUERS_FILE_BYTES = 1024 * 1024

type Types<T> = { readonly [F in keyof T]-?: SettingType<Exclude<T[F], undefined>, unknown> }

const INTROSPECTION: Types<IntrospectionSettings> = {
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
export function readIssuersFile(file: string): readonly IssuerSettings[] {
  try {
    return parseIssuersFile(readSettingFile(file, MAX_ISSUERS_FILE_BYTES))
  } catch (error) {
    throw error instanceof IssuersFileError ? error : new IssuersFileError((error as Error).message)
  }
}

/** @throws IssuersFileError */
export function parseIssuersFile(bytes: Buffer): readonly IssuerSettings[] {
  const document = parseDocument(bytes)
  const entries = isObject(document) ? document['issuers'] : undefined
  if (!isObject(document) || !Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ISSUERS)
    throw new IssuersFileError(`expected an object with the array "issuers", of 1 to ${MAX_ISSUERS} entries`)
  const other = Object.keys(document).find(name => name !== 'issuers')
  if (other !== undefined) throw new IssuersFileError(`${quote(other)} is not known; expected "issuers" alone`)
  const issuers = entries.map((entry: unknown, place) => explain(`issuers[${place}]`, () => parseEntry(entry)))
  assertOwnTokens(issuers)
  return issuers
}

/** @throws IssuersFileError if a token could belong to two of them */
function assertOwnTokens(issuers: readonly IssuerSettings[]): void {
  const prefixes = issuers.flatMap(({ introspection }) => (introspection ? [introspection.tokenPrefix ?? ''] : []))
  const isMixed = prefixes.some((prefix, at) =>
    prefixes.some((other, place) => place !== at && other.startsWith(prefix)),
  )
  if (isMixed)
    throw new IssuersFileError(
      'expected a tokenPrefix in each introspection, and none that begins with another: no issuer may see the tokens of another',
    )
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
  const conflict = findIntrospectionConflict(settings) ?? findIssuerConflict(settings, field => field)
  if (conflict !== undefined) throw new Error(conflict)
  return settings
}

function findIntrospectionConflict({
  introspection,
  jwksUrl,
  issuer,
  accessTokens,
}: IssuerSettings): string | undefined {
  if (introspection === undefined) return undefined
  if (jwksUrl !== undefined || issuer?.length !== 1)
    return 'introspection: expected one issuer beside it, and no jwksUrl, since the issuer is asked about each token'
  if (accessTokens === undefined) return undefined
  return 'accessTokens: expected requiredClaims instead: the issuer says of each token that it counts'
}

function readIntrospection(value: unknown): IntrospectionSettings {
  if (!isObject(value)) throw new Error('expected an object, such as {"clientId":"toolrack","clientSecretFile":"…"}')
  const read = { form: 'rfc7662', ...readMembers(value, INTROSPECTION) } as IntrospectionSettings
  const { needsClient, url }: IntrospectionForm = INTROSPECTION_FORMS[read.form]
  if (needsClient && (read.clientId === undefined || read.clientSecretFile === undefined))
    throw new Error('expected clientId and clientSecretFile, by which the issuer knows this server')
  return { ...read, url: read.url ?? url?.replace('{clientId}', encodeURIComponent(read.clientId ?? '')) }
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
