// What `toolrack/source` exports: the contract of a source, and transforms of what it puts.
export type { Definition } from './registry/catalog.ts'
export type { DefinitionKind } from './registry/definition-kind.ts'
export type { Refused } from './registry/definition-set.ts'
export { folder } from './registry/folder-option.ts'
export type {
  DefinitionSource,
  PutEntry,
  PutReport,
  SourceReload,
  SourceStatus,
  SourceTarget,
  Transform,
} from './registry/source.ts'
export {
  describe,
  hide,
  pick,
  pin,
  prefix,
  rename,
  type Transformer,
  transform,
  withScopes,
} from './registry/transforms.ts'
export type { Log } from './request/exchange.ts'
