// Places in a JSON value: paths for people, and JSON Pointers. RFC 6901.

/** `rows.0.id`; a key without characters is `""`. @param root names the whole value */
export const formatPath = (keys: readonly (string | number)[], root = '(root)'): string =>
  keys.length === 0 ? root : keys.map(key => (key === '' ? '""' : key)).join('.')

/** A key as one part of a pointer. */
export const escapeKey = (key: string): string => key.replace(/~/g, '~0').replace(/\//g, '~1')

/** The keys of a pointer such as `/a/b`; none for the empty pointer. */
export const readPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))

/** A pointer as the fragment of a reference, `#/a%20b`, from `#/a b`. */
export const encodeFragment = (pointer: string): string => `#${encodeURI(pointer.slice(1)).replace(/#/g, '%23')}`

/** @returns the reference as it is if it is not encoded well */
export function decodeFragment(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch {
    return reference
  }
}
