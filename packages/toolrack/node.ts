// Stands alone, so that an old Node can parse what imports it.
export { MIN_NODE, runIfSupported } from '../../src/config/node-version.ts'
