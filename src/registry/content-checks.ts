// Whether a content block, or the contents of a resource, is what the specification calls one. Spec
// 2026-07-28: schema.
import { isObject } from '../protocol/messages.ts'
import { META_RELATED_TASK, META_SERVER, TASKS_EXTENSION } from '../protocol/schemas/common.ts'
import { pickKnown } from '../protocol/schemas/known.ts'
import {
  BLOCKS,
  type BlockType,
  type ContentBlock,
  EmbeddedContents,
  ResourceContents,
} from '../protocol/schemas/results.ts'
import { compile, type Validator } from '../schema/validator.ts'

// Which keys the `_meta` of a definition, a result or a part of one may have. Spec 2026-07-28:
// basic/index, "_meta".

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`)
const RESERVED = /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//i

/**
 * Reserved, and defined for what a server says: by the specification, by 2025-11-25, by official
 * extensions.
 */
const DEFINED = new Set([
  META_SERVER,
  META_RELATED_TASK,
  TASKS_EXTENSION,
  'io.modelcontextprotocol/model-immediate-response',
  'io.modelcontextprotocol/ui',
])

/**
 * The first key that `_meta` may not have, as a path, and why; undefined where all are right or it
 * is none.
 */
export function findMetaIssue(meta: unknown): string | undefined {
  if (!isObject(meta)) return undefined
  for (const key of Object.keys(meta)) {
    const fault = findKeyIssue(key)
    if (fault !== undefined) return `_meta[${JSON.stringify(key.slice(0, 100))}] ${fault}`
  }
  return undefined
}

function findKeyIssue(key: string): string | undefined {
  if (!KEY.test(key)) return 'must be a name of letters, digits and inner "._-", or such a name behind "example.com/"'
  return RESERVED.test(key) && !DEFINED.has(key) ? 'is reserved for MCP' : undefined
}

const validators = new Map<string, Validator>()

function getBlockValidator(type: BlockType | 'contents'): Validator {
  let validator = validators.get(type)
  if (validator === undefined)
    validators.set(type, (validator = compile(type === 'contents' ? ResourceContents : BLOCKS[type])))
  return validator
}

/** Where and how a block is wrong, as the rest of a path; undefined where it is right. */
export function findBlockIssue(block: unknown): string | undefined {
  const type = isObject(block) ? block['type'] : undefined
  if (typeof type !== 'string' || !Object.hasOwn(BLOCKS, type))
    return `.type must be one of ${Object.keys(BLOCKS).join(', ')}`
  return (
    findSchemaIssue(getBlockValidator(type as BlockType), block) ?? findNestedIssue(block as Record<string, unknown>)
  )
}

/** A right block with the members that the specification names. */
export function toKnownBlock(block: unknown): ContentBlock {
  const right = block as ContentBlock
  const known = pickKnown(BLOCKS[right.type], right)
  if (right.type !== 'resource') return known
  return Object.assign(known, { resource: pickKnown<object>(EmbeddedContents, right.resource) })
}

/** The same as `faultOfBlock`, for one of a resource's contents. */
export function findContentsIssue(contents: unknown): string | undefined {
  return (
    findSchemaIssue(getBlockValidator('contents'), contents) ?? findNestedIssue(contents as Record<string, unknown>)
  )
}

export const toKnownContents = (contents: unknown): unknown => pickKnown(ResourceContents, contents)

function findSchemaIssue(validator: Validator, value: unknown): string | undefined {
  if (validator.isValid(value)) return undefined
  const [fault] = validator.issues(value, 1)
  return `.${fault?.path} ${fault?.expected}`
}

// What no schema says, of a block, the resource in it, or contents; at that place.
function findNestedIssue(part: Record<string, unknown>): string | undefined {
  for (const member of ['data', 'blob'] as const) {
    const data = part[member]
    if (typeof data === 'string' && data.length % 4 !== 0)
      return `.${member} is not Base64: its length is no multiple of 4`
  }
  const metaFault = findMetaIssue(part['_meta'])
  if (metaFault !== undefined) return `.${metaFault}`
  const fault = isObject(part['resource']) ? findNestedIssue(part['resource']) : undefined
  return fault && `.resource${fault}`
}
