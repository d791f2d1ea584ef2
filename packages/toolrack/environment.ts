// Settings of a program from its environment.
export { findMisspellings, isServiceLink } from '../environment/src/misspelling.ts'
export { findStrayMarks, readRawValue } from '../environment/src/raw-value.ts'
export { readEnvironment } from '../environment/src/read.ts'
export { findSecretFiles, SECRET_FILES } from '../environment/src/secret-files.ts'
export { assertToolSettings } from '../environment/src/spelling.ts'
