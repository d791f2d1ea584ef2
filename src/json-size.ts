// How much a JSON value holds, in bytes: as text in Redis, or as objects on the heap, whichever is more.

// What V8 takes, rounded up; test/json-size.test.ts measures it. An empty object has room for four members.
const OBJECT_BYTES = 72
const LIST_BYTES = 48
/** A member of an object: its place, its name in a table, and the name itself without its characters. */
const MEMBER_BYTES = 96
/** An element of a list, or a number. */
const ELEMENT_BYTES = 24
const TEXT_BYTES = 24

// Texts without such a character V8 keeps in one byte each.
const WIDE = /[^\u0000-\u00ff]/

/** @param value of JSON, no deeper than messages and results are */
export const sizeOf = (value: object): number => Math.max(Buffer.byteLength(JSON.stringify(value)), heapSizeOf(value))

function heapSizeOf(value: unknown): number {
  if (typeof value === 'string') return textSize(value)
  if (typeof value !== 'object' || value === null) return 0
  let size = Array.isArray(value) ? LIST_BYTES : OBJECT_BYTES
  if (Array.isArray(value)) for (const element of value) size += ELEMENT_BYTES + heapSizeOf(element)
  else
    for (const name in value) size += MEMBER_BYTES + name.length + heapSizeOf((value as Record<string, unknown>)[name])
  return size
}

const textSize = (text: string) => TEXT_BYTES + (WIDE.test(text) ? 2 * text.length : text.length)
