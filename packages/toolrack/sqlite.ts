// What `toolrack/sqlite` exports: a state in a file, which outlives the process.
export type { StateFileOptions } from '../sqlite/src/file.ts'
export { sqlite } from '../sqlite/src/state.ts'
