// Reads the fields of a form: percent-encoded, in a body or in a query, or in parts with files.
// https://url.spec.whatwg.org, "application/x-www-form-urlencoded"; RFC 7578.
import { isUtf8 } from 'node:buffer'
import { McpError } from 'toolrack/door'

/** Maximum number of fields of a form. */
export const MAX_FIELDS = 1000

const NOT_UTF_8 = 'the form is not UTF-8'

export interface FormField {
  readonly name: string
  /** Bytes for a file; text for any other field. */
  readonly value: string | Buffer
}

/** @throws McpError PARSE_ERROR (400) if it is not percent-encoded UTF-8, INVALID_REQUEST (400) past a bound */
export function readEncoded(body: Buffer): FormField[] {
  if (!isUtf8(body)) throw new McpError('PARSE_ERROR', NOT_UTF_8)
  const text = body.toString('utf8')
  try {
    // URLSearchParams would replace malformed parts.
    decodeURIComponent(text)
  } catch {
    throw new McpError('PARSE_ERROR', 'the form is not percent-encoded UTF-8; curl has --data-urlencode for it')
  }
  const fields = new URLSearchParams(text)
  assertCount(fields.size)
  return [...fields].map(([name, value]) => ({ name, value }))
}

/** @throws McpError PARSE_ERROR (400) if the parts cannot be read, INVALID_REQUEST (400) past a bound */
export async function readParts(body: Buffer, contentType: string): Promise<FormField[]> {
  const entries = await parseParts(body, contentType)
  assertCount(entries.length)
  const replaced = countReplaced(entries)
  if (replaced > 0 && replaced > body.toString('latin1').split(WRITTEN_REPLACEMENT).length - 1)
    throw new McpError('PARSE_ERROR', NOT_UTF_8)
  return Promise.all(
    entries.map(async ([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
    })),
  )
}

async function parseParts(body: Buffer, contentType: string): Promise<[string, string | Blob][]> {
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
    return [...form.entries()]
  } catch {
    throw new McpError('PARSE_ERROR', 'the parts of the form cannot be read; curl -F makes such a body')
  }
}

/** U+FFFD in UTF-8, one character per byte. */
const WRITTEN_REPLACEMENT = '\xef\xbf\xbd'

/**
 * Counts replacement characters: those that a client wrote, and those that the parser put for
 * invalid UTF-8.
 */
const countReplaced = (entries: readonly (readonly [string, string | Blob])[]): number =>
  entries.flat().reduce((count, each) => count + (typeof each === 'string' ? each.split('\uFFFD').length - 1 : 0), 0)

function assertCount(count: number): void {
  if (count > MAX_FIELDS) throw new McpError('INVALID_REQUEST', `more than ${MAX_FIELDS} fields`)
}
