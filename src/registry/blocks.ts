// Whether a content block, or the contents of a resource, is what the specification calls one. Spec 2026-07-28: schema.
import { isObject } from '../protocol/messages.ts'
import { onlyKnown } from '../protocol/schemas/known.ts'
import {
  BLOCKS,
  type BlockType,
  type ContentBlock,
  EmbeddedContents,
  ResourceContents,
} from '../protocol/schemas/results.ts'
import { compile, type Validator } from '../validator.ts'
import { faultOfMeta } from './meta-keys.ts'

const validators = new Map<string, Validator>()

function validatorOf(type: BlockType | 'contents'): Validator {
  let validator = validators.get(type)
  if (validator === undefined)
    validators.set(type, (validator = compile(type === 'contents' ? ResourceContents : BLOCKS[type])))
  return validator
}

/** Where and how a block is wrong, as the rest of a path; undefined where it is right. */
export function faultOfBlock(block: unknown): string | undefined {
  const type = isObject(block) ? block['type'] : undefined
  if (typeof type !== 'string' || !Object.hasOwn(BLOCKS, type))
    return `.type must be one of ${Object.keys(BLOCKS).join(', ')}`
  return faultOf(validatorOf(type as BlockType), block) ?? faultWithin(block as Record<string, unknown>)
}

/** A right block with the members that the specification names. */
export function knownBlock(block: unknown): ContentBlock {
  const right = block as ContentBlock
  const known = onlyKnown(BLOCKS[right.type], right)
  if (right.type !== 'resource') return known
  return Object.assign(known, { resource: onlyKnown<object>(EmbeddedContents, right.resource) })
}

/** The same as `faultOfBlock`, for one of a resource's contents. */
export function faultOfContents(contents: unknown): string | undefined {
  return faultOf(validatorOf('contents'), contents) ?? faultWithin(contents as Record<string, unknown>)
}

export const knownContents = (contents: unknown): unknown => onlyKnown(ResourceContents, contents)

function faultOf(validator: Validator, value: unknown): string | undefined {
  if (validator.isValid(value)) return undefined
  const [fault] = validator.faults(value, 1)
  return `.${fault?.path} ${fault?.expected}`
}

// What no schema says, of a block, the resource in it, or contents; at that place.
function faultWithin(part: Record<string, unknown>): string | undefined {
  for (const member of ['data', 'blob'] as const) {
    const data = part[member]
    if (typeof data === 'string' && data.length % 4 !== 0)
      return `.${member} is not Base64: its length is no multiple of 4`
  }
  const metaFault = faultOfMeta(part['_meta'])
  if (metaFault !== undefined) return `.${metaFault}`
  const fault = isObject(part['resource']) ? faultWithin(part['resource']) : undefined
  return fault && `.resource${fault}`
}
