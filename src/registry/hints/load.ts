// Loads the hints for mistakes when a definition is refused: a start without mistakes never reads them.
import { createRequire } from 'node:module'

type Hints = typeof import('./index.ts')

const here = import.meta.url
// Synchronous, since a definition is refused in the call that hands it over.
const require = createRequire(here)

/** In dist/ this is part of a chunk, and they are not. */
export const loadHints = (): Hints => require(here.endsWith('.ts') ? './index.ts' : './registry/hints/index.js')
