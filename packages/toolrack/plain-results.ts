// Results of tools as plain HTTP gives them, for the command line.
export { listOwnBlocks, toResultJson } from '../plain-http/src/plain-result.ts'
export { isChanged, parseWritten, type RawJson } from '../plain-http/src/written-json.ts'
