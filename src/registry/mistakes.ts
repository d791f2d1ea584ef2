// The mistakes in a definition, as facts. Hints turn them into what to write instead.
import type { Issue } from '@toolrack/json-schema/issues'
import type { DefinitionKind } from './definition-kind.ts'

export type Mistake =
  | {
      readonly what: 'shape'
      readonly kind: DefinitionKind
      readonly definition: object
      /** The first issues, also those that follow from others. */
      readonly issues: readonly Issue[]
      /** The fields of the kind. */
      readonly fields: readonly string[]
    }
  /** An object that seems to be a definition has no handler. */
  | { readonly what: 'no definition'; readonly value: unknown; readonly fields: readonly string[] }
  /** The default export of a tool file is neither a definition nor a list of them. */
  | { readonly what: 'no export'; readonly file: string; readonly exported: object; readonly fields: readonly string[] }
  | { readonly what: 'inherited handler'; readonly definition: object }
  | { readonly what: 'handler' }
  | { readonly what: 'time' }
  /** `field` should be a function that completes something, and is not. */
  | { readonly what: 'complete'; readonly field: string; readonly value: unknown }
  /** The template has no variable of this name. */
  | { readonly what: 'variable'; readonly name: string; readonly names: readonly string[] }
  /** The schema itself breaks the meta-schema. */
  | { readonly what: 'schema'; readonly issues: readonly Issue[] }
