// What is served: tools, resources and prompts as the catalog has them, and the tools folder.
export type { Catalog, CatalogEntry, DisabledEntry } from '../../src/registry/catalog.ts'
export { createFilling } from '../../src/registry/defaults.ts'
export { type DefinitionKind, findDefinitionKind, listVariables } from '../../src/registry/definition.ts'
export { createFileUri, isFileUri, toFilePath } from '../../src/registry/file-uri.ts'
export { type FileFailure, formatFailure } from '../../src/registry/folder/failures.ts'
export type { FolderSource } from '../../src/registry/folder/folder-source.ts'
export { findVariableFix } from '../../src/registry/foreign-uri.ts'
export { type TokenDouble, type TokenDoubleRequest, UNKNOWN_CLIENT } from '../../src/registry/handler-context.ts'
export type { Hints } from '../../src/registry/hints.ts'
export { KEY_ARGUMENT, MAX_KEY_LENGTH } from '../../src/registry/idempotency-key.ts'
export { isGiven } from '../../src/registry/isolated-environment.ts'
export { findMirroredParams } from '../../src/registry/mirrored-params.ts'
export type { Mistake } from '../../src/registry/mistakes.ts'
export { saysNothing } from '../../src/registry/root-schema.ts'
export {
  assertObject,
  copySchema,
  JSON_OBJECT,
  SchemaFault,
  type SchemaField,
  type ToolSchema,
  toJsonToolSchema,
  toLocal,
} from '../../src/registry/schemas.ts'
export {
  createParse,
  type Direction,
  findStandardSchema,
  type Parse,
  type Parsed,
} from '../../src/registry/standard-schema.ts'
export { MAX_TIMEOUT_MS, type Tool } from '../../src/registry/tool.ts'
export { ToolAnnotations } from '../../src/registry/tool-annotations.ts'
