// Which keys the `_meta` of a definition, a result or a part of one may have. Spec 2026-07-28: basic/index, "_meta".
import { isObject } from '../protocol/messages.ts'
import { META_RELATED_TASK, META_SERVER, TASKS_EXTENSION } from '../protocol/schemas/common.ts'

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
const RESERVED = /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//i

/** Reserved, and defined for what a server says: by the specification, by 2025-11-25, by official extensions. */
const DEFINED = new Set([
  META_SERVER,
  META_RELATED_TASK,
  TASKS_EXTENSION,
  'io.modelcontextprotocol/model-immediate-response',
  'io.modelcontextprotocol/ui',
])

/** The first key that `_meta` may not have, as a path, and why; undefined where all are right or it is none. */
export function faultOfMeta(meta: unknown): string | undefined {
  if (!isObject(meta)) return undefined
  for (const key of Object.keys(meta)) {
    const fault = faultOfKey(key)
    if (fault !== undefined) return `_meta[${JSON.stringify(key.slice(0, 100))}] ${fault}`
  }
  return undefined
}

function faultOfKey(key: string): string | undefined {
  if (!KEY.test(key)) return 'must be a name of letters, digits and inner "._-", or such a name behind "example.com/"'
  return RESERVED.test(key) && !DEFINED.has(key) ? 'is reserved for MCP' : undefined
}
