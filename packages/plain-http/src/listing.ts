// The documents of plain HTTP: `GET /tools`, one tool of the list, and `GET /openapi.json`.
import { createHash } from 'node:crypto'
import type { JsonObject } from 'toolrack'

/** Documents of whole lists that are kept. Callers who see the same tools share one. */
export const MAX_KEPT = 16

export interface Document {
  readonly json: string
  readonly etag: string
}

/** Keeps documents of whole lists, since they take long to build. */
export class Documents {
  readonly #kept = new Map<string, Document>()

  /** @param key identifies the data of the document */
  getOrCreate(key: string, create: () => JsonObject): Document {
    let document = this.#kept.get(key)
    if (document === undefined) {
      document = createDocument(create())
      this.#kept.set(key, document)
      if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    }
    return document
  }
}

export function createDocument(content: JsonObject): Document {
  const json = JSON.stringify(content)
  return { json, etag: createEtag(json) }
}

/** Adds the members that differ by request to a kept document. */
export function withMembers({ json, etag }: Document, members: JsonObject): Document {
  const more = JSON.stringify(members)
  return { json: `${json.slice(0, -1)},${more.slice(1)}`, etag: createEtag(etag + more) }
}

const createEtag = (text: string) => `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

/** RFC 9110, 13.1.2. */
export function isSameDocument(ifNoneMatch: string | undefined, { etag }: Document): boolean {
  const known = (ifNoneMatch ?? '').split(',').map(each => each.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

/** A tool in the form of the list. */
export function toToolInfo(listed: JsonObject, url: string): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations } = listed
  return { name, title, description, inputSchema, outputSchema, annotations, url }
}
