// Contracts of tools, and the calls of tests, for `toolrack check --contract`.
export { TestClient } from '../testing/src/client.ts'
export { findBreakingChanges } from '../testing/src/contract/breaking-changes.ts'
export { formatContract, parseContract, readContract } from '../testing/src/contract/expect-contract.ts'
export { TestTools } from '../testing/src/test-tools.ts'
