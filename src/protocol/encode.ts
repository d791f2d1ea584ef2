// Encodes a result of the newest revision as JSON text in the caller's revision.
import type { JsonObject } from './messages.ts'
import type { Revision } from './revisions/index.ts'

/** A result whose text is kept because many callers get the same, such as a page of a list. */
export class KeptResult {
  /** Its text in the revision of the request. */
  readonly writeJson: () => string
  /** Its value in the newest revision. */
  readonly readValue: () => JsonObject

  constructor({ writeJson, readValue }: Pick<KeptResult, 'writeJson' | 'readValue'>) {
    this.writeJson = writeJson
    this.readValue = readValue
  }
}

export const readResult = (result: JsonObject | KeptResult): JsonObject =>
  result instanceof KeptResult ? result.readValue() : result

/** The `_meta` of every result, for revisions that name the server. */
export interface ServerMeta {
  readonly value: JsonObject
  readonly json: string
}

export const toServerMeta = (value: JsonObject): ServerMeta =>
  Object.freeze({ value: Object.freeze(value), json: JSON.stringify(value) })

/** @param method of the request; each method has its own result shape */
export function encodeResult(
  result: JsonObject | KeptResult,
  { revision, method }: { readonly revision: Revision; readonly method: string },
  serverMeta: ServerMeta,
): string {
  if (result instanceof KeptResult) return result.writeJson()
  const shaped = revision.shapeResult(method, result)
  if (!revision.includesServerInfo) return JSON.stringify(shaped)
  const meta = shaped['_meta']
  if (meta !== undefined) return JSON.stringify({ ...shaped, _meta: { ...meta, ...serverMeta.value } })
  return `${JSON.stringify(shaped).slice(0, -1)},"_meta":${serverMeta.json}}`
}
