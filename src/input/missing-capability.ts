// The result of a tool if its client cannot be asked. A protocol error ends the turn of most agents,
// while their model can act on this text. Spec 2025-11-25: server/tools, "Error Handling".
import type { RequiredCapabilities } from './capabilities.ts'

const ADVICE: Readonly<Record<string, string>> = {
  'elicitation.form':
    'Ask the user yourself. Where the description of this tool names arguments that stand for the answer, call it again with them.',
  'elicitation.url': 'The user has to open a page for this: say that it needs a client that can show one.',
  sampling: 'Do that part yourself, or use another tool.',
  roots: 'Name files and folders in the arguments, where this tool takes them.',
}

/** Longest quoted question, characters. */
const MAX_QUESTION = 500

/** Names with their mode: `elicitation.url`, `sampling.tools`, `roots`. */
export function listCapabilityNames(required: RequiredCapabilities): string[] {
  return Object.entries(required).flatMap(([kind, modes]) => {
    const names = Object.keys(modes ?? {}).map(mode => `${kind}.${mode}`)
    return names.length > 0 ? names : [kind]
  })
}

/** @param questions the messages for the user */
export function createMissingCapabilityText(
  tool: string,
  { required, questions }: { readonly required: RequiredCapabilities; readonly questions: readonly string[] },
): string {
  const names = listCapabilityNames(required)
  const kinds = names.map(name => (name.startsWith('sampling') ? 'sampling' : name))
  const advice = [...new Set(kinds)].map(kind => ADVICE[kind]).filter(text => text !== undefined)
  const asked = questions.map(question => JSON.stringify(question.slice(0, MAX_QUESTION)))
  return [
    `Missing required client capability: ${names.join(', ')}. ${tool} cannot go on without asking.`,
    ...(asked.length > 0 ? [`The question is ${asked.join(' and ')}.`] : []),
    ...advice,
  ].join(' ')
}
