// Corrects the JSON Schema of Zod where it differs from Zod's check: flags of patterns, and bounds
// of a value that a step of the schema changes. Also finds versions of Zod without JSON Schema.

import type { Direction } from 'toolrack/definitions'
import { isObject } from 'toolrack/protocol'
import { findRefinementPatterns, HARMLESS_FLAGS, toSource } from './refinement-patterns.ts'

interface ZodCheck {
  readonly _zod: { readonly def: { readonly check?: string; readonly pattern?: unknown; readonly fn?: unknown } }
}

interface ZodSchema {
  readonly _zod: {
    readonly def: {
      readonly type?: string
      readonly checks?: readonly ZodCheck[]
      readonly transform?: unknown
      readonly valueType?: ZodSchema
    }
    readonly optout?: unknown
  }
}

interface ZodOverride {
  readonly zodSchema: ZodSchema
  readonly jsonSchema: Record<string, unknown>
}

/** For numbers and lists; Zod alone checks the bounds of texts. */
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems']

/** @param unlistedPatterns gets the sources of patterns that are left out */
export function createZodOptions(direction: Direction, unlistedPatterns: string[]): Record<string, unknown> {
  return {
    override({ zodSchema, jsonSchema }: ZodOverride) {
      // It accepts everything, and returns whether the value was valid.
      if (zodSchema._zod.def.type === 'success' && direction === 'input') delete jsonSchema['type']
      if (takesAbsentValues(zodSchema, direction)) delete jsonSchema['required']
      const checks = (zodSchema._zod.def.checks ?? []).map(({ _zod }) => _zod.def)
      for (const refinement of [zodSchema._zod.def.transform, ...checks.map(({ fn }) => fn)])
        unlistedPatterns.push(...findRefinementPatterns(refinement))
      for (const { pattern } of [zodSchema._zod.def as { pattern?: unknown }, ...checks]) {
        if (!(pattern instanceof RegExp) || HARMLESS_FLAGS.test(pattern.flags)) continue
        unlistedPatterns.push(toSource(pattern))
        dropPattern(jsonSchema, pattern.source)
      }
      if (checks.some(({ check }) => check === 'overwrite')) for (const bound of BOUNDS) delete jsonSchema[bound]
    },
  }
}

/** Zod lists the names of a record as required, even if it accepts undefined as their values. */
function takesAbsentValues({ _zod: { def } }: ZodSchema, direction: Direction): boolean {
  if (def.type !== 'record' || def.valueType === undefined) return false
  const { def: value, optout } = def.valueType._zod
  return value.type === 'any' || value.type === 'unknown' || (direction === 'output' && optout !== undefined)
}

function dropPattern(jsonSchema: Record<string, unknown>, source: string): void {
  if (jsonSchema['pattern'] === source) delete jsonSchema['pattern']
  const { allOf } = jsonSchema
  if (!Array.isArray(allOf)) return
  // If there are several patterns, they are in a list.
  const others = allOf.filter(({ pattern }) => pattern !== source)
  if (others.length > 0) jsonSchema['allOf'] = others
  else delete jsonSchema['allOf']
}

export const ZOD_3 = `it is of Zod 3: import { z } from 'zod' (4.2 or later), not from 'zod/v3'`

export const isZod3 = (value: unknown): boolean =>
  isObject(value) && isObject(value['_def']) && /^Zod/.test(String(value['_def']['typeName']))

/** For the versions whose other schemas have JSON Schema. */
export function isZodMini(schema: object): boolean {
  const { major = 0, minor = 0 } = (schema as { _zod?: { version?: Record<string, number> } })._zod?.version ?? {}
  return major > 4 || (major === 4 && minor >= 2)
}
