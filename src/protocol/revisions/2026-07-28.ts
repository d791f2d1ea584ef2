// Revision 2026-07-28: stateless, metadata on every request. Its clients need not know which tools make tasks.
import type { JsonObject } from '../messages.ts'
import { own } from './own.ts'
import { byMethod, each, fields, patternInWords, values, within, without } from './reshape.ts'
import { before, type ClientRequest, type Revision } from './revision.ts'

const downgrade = byMethod({ 'tools/list': each('tools', without('execution')) })
// What stands there are questions.
const questions = within(
  'inputRequests',
  values(asked => downgradeQuestion(asked as JsonObject & ClientRequest)),
)

export const revision20260728: Revision = before(own, {
  version: '2026-07-28',
  // A question is within a result: of a call, of a prompt, of a resource, of a look at a task.
  downgrade: (method, result) => questions(downgrade(method, result)),
  downgradeQuestion,
})

// Only that for roots has metadata of its own.
function downgradeQuestion<Q extends ClientRequest>(question: Q): Q {
  const { method, params } = question
  if (method === 'roots/list' || params === undefined) return question
  const older = without('_meta')(fields(patternInWords)(params))
  return older === params ? question : { ...question, params: older }
}
