// The shapes of JSON-RPC that the console reads of raw messages.
export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface RawMessage {
  readonly id?: string | number | undefined
  readonly method?: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Every message of a body: one, a batch of older revisions, or none if it is not JSON-RPC. */
export function parseMessages(text: string): readonly RawMessage[] {
  try {
    const body: unknown = JSON.parse(text)
    return (Array.isArray(body) ? body : [body]).filter(isObject) as RawMessage[]
  } catch {
    return []
  }
}

/** The subject of a request or notification, in one line: the tool, the URI, the progress. */
export function describeName({ method, params = {} }: RawMessage): string | undefined {
  if (method === undefined) return undefined
  if (method === 'notifications/progress') return describeProgress(params)
  const { name, uri, level, message, taskId, ref, requestId } = params
  const about = isObject(ref) ? (ref['name'] ?? ref['uri']) : undefined
  const task = taskId === undefined ? undefined : shortenId(String(taskId))
  const found = [name, uri, level, message, task, about, requestId].find(each => each !== undefined)
  return found === undefined ? undefined : String(found).slice(0, MAX_NAME)
}

const MAX_NAME = 200

/** The start of a task's id, long enough to distinguish it from others. */
export const shortenId = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

function describeProgress({ progress, total }: JsonObject): string {
  return total === undefined ? `to ${progress}` : `to ${progress} of ${total}`
}
