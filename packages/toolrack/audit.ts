// The audit's file and chain, for the command line.
export { ChainCheck, type CheckedChain } from '../audit/src/chain-check.ts'
export { assertAuditFile } from '../audit/src/open-file.ts'
