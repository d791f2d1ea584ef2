// What `toolrack/sqlite` exports: a state in a file, which outlives the process.
export type { StateFileOptions } from './state/sqlite/file.ts'
export { sqlite } from './state/sqlite/state.ts'
