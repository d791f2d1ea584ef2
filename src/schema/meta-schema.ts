// Checks that a document is a JSON Schema of its dialect, by the dialect's own meta-schema.
// The build puts Ajv's precompiled form of the same check in this module's place (scripts/build.ts): to compile
// the meta-schema took a third of a cold start.
import { createRequire } from 'node:module'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Dialect, META_SCHEMAS } from './dialect.ts'

export interface MetaCheck {
  (schema: unknown): boolean
  errors?: ErrorObject[] | null
}

const checks = new Map<Dialect, MetaCheck>()

export function metaCheck(dialect: Dialect): MetaCheck {
  let check = checks.get(dialect)
  if (check === undefined)
    checks.set(dialect, (check = metaEngine(dialect).getSchema(META_SCHEMAS[dialect]) as MetaCheck))
  return check
}

/** The engine that knows the dialect's meta-schema; the build takes the check's source from it. */
export function metaEngine(dialect: Dialect): Ajv2020 {
  const Ajv = dialect === '2020-12' ? Ajv2020 : (createRequire(import.meta.url)('ajv') as typeof Ajv2020)
  const ajv = new Ajv({ strict: false, code: { source: true, esm: true } })
  formats.default(ajv)
  return ajv
}
