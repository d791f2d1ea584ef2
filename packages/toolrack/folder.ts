// The tools folder: what `toolrack check` and tests of tools ask beside its tools.
export { type FileFailure, formatFailure } from '../folder/src/failures.ts'
export { FolderSource } from '../folder/src/folder-source.ts'
