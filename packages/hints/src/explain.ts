// Explains a mistake: what is wrong, and what to write instead.
import type { Mistake } from 'toolrack/definitions'
import { explainNoDefinitions } from './exports.ts'
import { HANDLER_FIX, TIME_FIX } from './fields.ts'
import { explainNoHandler, fixInherited } from './handlers.ts'
import { fixComplete } from './prompts.ts'
import { fixSchema } from './schema-keywords.ts'
import { explainShape } from './shape.ts'
import { fixVariable } from './variables.ts'

export { hasNamedDefinitions } from './exports.ts'
export { findMeantField } from './field-names.ts'

/** @param fault the text of the core */
export function explain(mistake: Mistake, fault: string): string {
  switch (mistake.what) {
    case 'shape':
      return explainShape(mistake)
    case 'no definition':
      return explainNoHandler(mistake.value, mistake.fields)
    case 'no export':
      return explainNoDefinitions(mistake)
    default: {
      const fix = findFix(mistake)
      return fix === undefined ? fault : `${fault}; ${fix}`
    }
  }
}

type Explained = 'shape' | 'no definition' | 'no export'

/** @returns undefined if the text of the core is enough */
function findFix(mistake: Exclude<Mistake, { readonly what: Explained }>): string | undefined {
  switch (mistake.what) {
    case 'handler':
      return HANDLER_FIX
    case 'time':
      return TIME_FIX
    case 'inherited handler':
      return fixInherited(mistake.definition)
    case 'complete':
      return fixComplete(mistake.value, mistake.field)
    case 'variable':
      return fixVariable(mistake.name, mistake.names)
    case 'schema':
      return fixSchema(mistake.issues)
  }
}
