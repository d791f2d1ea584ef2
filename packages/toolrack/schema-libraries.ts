// JSON Schema of the schemas of libraries, for hints.
export { toJsonSchema } from '../schema-libraries/src/json-schema.ts'
