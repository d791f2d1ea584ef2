// What `toolrack/source` exports: the contract of a source, and transforms of what it puts.
export type { Definition } from '../../src/registry/catalog.ts'
export type { DefinitionKind } from '../../src/registry/definition-kind.ts'
export type { Refused } from '../../src/registry/definition-set.ts'
export type {
  DefinitionSource,
  PutEntry,
  PutReport,
  SourceReload,
  SourceStatus,
  SourceTarget,
  Transform,
} from '../../src/registry/source.ts'
export type { Log } from '../../src/request/exchange.ts'
export { folder } from '../folder/src/folder.ts'
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
} from '../transforms/src/transforms.ts'
