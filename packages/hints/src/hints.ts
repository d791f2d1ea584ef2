// Hints for the core: warnings, and explanations. Explanations are loaded when they are needed.
import type { Hints } from 'toolrack/definitions'
import { loadExplanations } from './load.ts'
import { warnOfMistakes } from './warnings/tools.ts'

export const HINTS: Hints = Object.freeze<Hints>({
  explain: (mistake, fault) => loadExplanations().explain(mistake, fault),
  hasNamedDefinitions: (exported, fields) => loadExplanations().hasNamedDefinitions(exported, fields),
  warnOfMistakes,
})
