// The definitions that are served: tools, resources and prompts, as the catalog has them.
export {
  type Catalog,
  type CatalogEntry,
  createToolFilter,
  type DisabledEntry,
  getQualifiedKey,
  identify,
} from '../../src/registry/catalog.ts'
export { createFilling } from '../../src/registry/defaults.ts'
export {
  type DefinitionKind,
  findDefinitionKind,
  listVariables,
  RegistrationError,
} from '../../src/registry/definition.ts'
export { assertNoneRefused, type Built, buildSet } from '../../src/registry/definition-set.ts'
export { derive, findOrigin, findRoot, withOrigin, withPin } from '../../src/registry/derive.ts'
export { createFileUri, isFileUri, toFilePath } from '../../src/registry/file-uri.ts'
export { findVariableFix } from '../../src/registry/foreign-uri.ts'
export { type TokenDouble, type TokenDoubleRequest, UNKNOWN_CLIENT } from '../../src/registry/handler-context.ts'
export type { Hints } from '../../src/registry/hints.ts'
export { type Around, type FolderHooks, RULE_NAMES, RULES, type Sees } from '../../src/registry/hooks.ts'
export { KEY_ARGUMENT, MAX_KEY_LENGTH } from '../../src/registry/idempotency-key.ts'
export type { Isolate, ToolModule } from '../../src/registry/isolate.ts'
export { findMirroredParams } from '../../src/registry/mirrored-params.ts'
export type { Mistake } from '../../src/registry/mistakes.ts'
export type { Prompt } from '../../src/registry/prompt.ts'
export type { Resource } from '../../src/registry/resource.ts'
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
export { isSource } from '../../src/registry/source.ts'
export type { LoadGuard, SourceHost, VariableFiles, VariableParts } from '../../src/registry/source-host.ts'
export { SourceRun } from '../../src/registry/source-run.ts'
export { assertSet, createReport, type InnerTarget, MAX_DEFINITIONS } from '../../src/registry/sources.ts'
export type { Direction, Parse, Parsed } from '../../src/registry/standard-schema.ts'
export { MAX_TIMEOUT_MS, TOOL_FIELDS, type Tool } from '../../src/registry/tool.ts'
export { ToolAnnotations } from '../../src/registry/tool-annotations.ts'
