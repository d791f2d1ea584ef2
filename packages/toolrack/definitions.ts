// The definitions that are served: tools, resources and prompts, as the catalog has them.
export type { Catalog, CatalogEntry, DisabledEntry } from '../../src/registry/catalog.ts'
export { createFileUri, isFileUri, toFilePath } from '../../src/registry/file-uri.ts'
export { type FileFailure, formatFailure } from '../../src/registry/folder/failures.ts'
export type { FolderSource } from '../../src/registry/folder/folder-source.ts'
export { type TokenDouble, type TokenDoubleRequest, UNKNOWN_CLIENT } from '../../src/registry/handler-context.ts'
export { KEY_ARGUMENT, MAX_KEY_LENGTH } from '../../src/registry/idempotency-key.ts'
export { findMirroredParams } from '../../src/registry/mirrored-params.ts'
export type { Tool } from '../../src/registry/tool.ts'
