// Checks values against JSON Schema.
export { type Issue, isUnknownProperty, locate } from '../../src/schema/issues.ts'
export { withLocalReferences } from '../../src/schema/local-references.ts'
export { metaCheck } from '../../src/schema/meta-schema.ts'
export { compile, type Schema, SchemaError } from '../../src/schema/validator.ts'
