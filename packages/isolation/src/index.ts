// Loaded by `require` when a tool first needs a separate process. Node strips types from such a
// file, but hooks of test runners do not, so it has no types.
export { Processes } from './isolation.ts'
