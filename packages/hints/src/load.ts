// Loads the explanations when there is a mistake. A start without mistakes never reads them.
import { createRequire } from 'node:module'

const here = import.meta.url
// Synchronous, since a definition is refused in the same call that hands it over.
const require = createRequire(here)

/** In dist/, this file is part of a chunk in dist/src/, and the explanations are not. */
export const loadExplanations = (): typeof import('./index.ts') =>
  require(here.endsWith('.ts') ? './index.ts' : '../packages/hints/src/index.js')
