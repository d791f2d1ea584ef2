// Loaded by `require` when there is a mistake. Node strips types from such a file, but hooks of test
// runners do not, so it has no types.
export { explain, findMeantField, hasNamedDefinitions } from './explain.ts'
