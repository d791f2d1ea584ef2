// Loads what explains a mistake once there is one: a start without mistakes never reads it.
import { createRequire } from 'node:module'

const here = import.meta.url
// Synchronous, since a definition is refused in the call that hands it over.
const require = createRequire(here)

/** In dist/ this is part of a chunk in dist/src/, and they are not. */
export const loadExplanations = (): typeof import('./index.ts') =>
  require(here.endsWith('.ts') ? './index.ts' : '../packages/hints/src/index.js')
