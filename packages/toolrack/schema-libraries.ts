// Schemas of libraries, for hints.
export { toJsonSchema } from '../schema-libraries/src/json-schema.ts'
export { findStandardSchema } from '../schema-libraries/src/standard-schema.ts'
