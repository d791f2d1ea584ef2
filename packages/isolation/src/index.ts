// Loaded by `require` once a tool asks for a process of its own. Node strips types of such a file, hooks
// of test runners do not: it has none.
export { Processes } from './isolation.ts'
