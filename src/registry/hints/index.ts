// What is loaded when a definition is refused: what to write instead, by what was written.
export { findMeantField } from './field-names.ts'
export { explainNoObject, findFix, HANDLER_FIX, TIME_FIX } from './fields.ts'
export { explainInherited, explainNoHandler } from './handlers.ts'
export { fixComplete } from './prompts.ts'
export { explainNoVariable } from './variables.ts'
