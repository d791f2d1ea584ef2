// JSON Pointers. RFC 6901.

/** A key as one part of a pointer. */
export const escapeKey = (key: string): string => key.replace(/~/g, '~0').replace(/\//g, '~1')

/** The keys of a pointer such as `/a/b`; none for the empty pointer. */
export const readPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
