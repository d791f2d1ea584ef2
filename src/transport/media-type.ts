// Whether a `Content-Type` names one of the types that a door reads, in UTF-8. RFC 9110, 8.3.1.

const NAME = String.raw`[!#$%&'*+.^\`|~\w-]+`
const VALUE = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s",;]*)`
const UTF8 = '(?:"utf-?8"|utf-?8|"us-ascii"|us-ascii)'

/**
 * Matches a type with any parameters, since only `charset` describes the bytes. No type contains a
 * comma:
 * it shows that the header came twice.
 */
export function createMediaPattern(...types: readonly string[]): RegExp {
  const parameter = `(?:charset=${UTF8}|(?!charset=)${NAME}(?:=${VALUE})?)`
  const names = types.map(type => type.replace(/[.+]/g, String.raw`\$&`)).join('|')
  return new RegExp(String.raw`^(?:${names})[ \t]*(?:;[ \t]*(?:${parameter}[ \t]*)?)*$`, 'i')
}
