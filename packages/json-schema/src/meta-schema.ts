// Validates a schema by the meta-schema of its dialect. The build replaces this module by Ajv's
// precompiled check (scripts/build.ts): compiling took a third of a cold start.
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

export function metaEngine(dialect: Dialect): Ajv2020 {
  const Ajv = dialect === '2020-12' ? Ajv2020 : (createRequire(import.meta.url)('ajv') as typeof Ajv2020)
  const ajv = new Ajv({ strict: false, code: { source: true, esm: true } })
  formats.default(ajv)
  return ajv
}
