// The size of a JSON value in bytes: as text in Redis or as objects on the heap, the larger.

// V8's sizes, rounded up; see test/unit/protocol/json-size.test.ts. Empty objects have 4 slots.
const OBJECT_BYTES = 72
const LIST_BYTES = 48
/** A member of an object without the characters of its name. */
const MEMBER_BYTES = 96
const ELEMENT_BYTES = 24
const TEXT_BYTES = 24

// V8 stores texts without such a character in one byte per character.
const WIDE = /[^\u0000-\u00ff]/

/** @param value JSON, within the depth bound of messages and results */
export const countJsonBytes = (value: object): number =>
  Math.max(Buffer.byteLength(JSON.stringify(value)), countHeapBytes(value))

function countHeapBytes(value: unknown): number {
  if (typeof value === 'string') return textSize(value)
  if (typeof value !== 'object' || value === null) return 0
  let size = Array.isArray(value) ? LIST_BYTES : OBJECT_BYTES
  if (Array.isArray(value)) for (const element of value) size += ELEMENT_BYTES + countHeapBytes(element)
  else
    for (const name in value)
      size += MEMBER_BYTES + name.length + countHeapBytes((value as Record<string, unknown>)[name])
  return size
}

const textSize = (text: string) => TEXT_BYTES + (WIDE.test(text) ? 2 * text.length : text.length)
