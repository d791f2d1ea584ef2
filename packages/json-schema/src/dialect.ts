// The supported dialects of JSON Schema. Spec 2026-07-28: basic/index, "JSON Schema Usage".

export type Dialect = '2020-12' | 'draft-07'

export const META_SCHEMAS: Readonly<Record<Dialect, string>> = Object.freeze({
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema',
})

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/

/** @returns 2020-12 without a `$schema`, undefined for an unsupported one */
export function findDialect(declared: unknown): Dialect | undefined {
  if (declared === undefined) return '2020-12'
  if (typeof declared !== 'string') return undefined
  if (declared.replace(/#$/, '') === META_SCHEMAS['2020-12']) return '2020-12'
  return DRAFT_07.test(declared) ? 'draft-07' : undefined
}
