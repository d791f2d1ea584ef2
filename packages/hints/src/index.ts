// Loaded by `require` once there is a mistake. Node strips types of such a file, hooks of test runners
// do not: it has none.
export { explain, findMeantField, hasNamedDefinitions } from './explain.ts'
