// The capabilities that a client must declare before a handler may ask it.
// Spec 2026-07-28: client/elicitation, client/sampling, client/roots.
import { McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { isToolBlock, toContentBlocks } from './sampling.ts'

export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Record<string, unknown>
}

export type RequiredCapabilities = Pick<ClientCapabilities, 'roots' | 'sampling' | 'elicitation'>

/** The capabilities that the request needs and the client lacks; undefined if it lacks none. */
export function findMissingCapabilities(
  capabilities: ClientCapabilities,
  request: InputRequest,
): RequiredCapabilities | undefined {
  const [kind, modes] = getRequirements(request)
  const declared = capabilities[kind]
  const missing = modes.filter(mode => !isDeclared(declared, mode))
  if (declared !== undefined && missing.length === 0) return undefined
  return { [kind]: Object.fromEntries(missing.map(mode => [mode, {}])) }
}

export function mergeCapabilities(
  one: RequiredCapabilities | undefined,
  other: RequiredCapabilities,
): RequiredCapabilities {
  const all: RequiredCapabilities = { ...one }
  for (const kind of Object.keys(other) as (keyof RequiredCapabilities)[]) all[kind] = { ...all[kind], ...other[kind] }
  return all
}

export function createMissingCapabilityError(requiredCapabilities: RequiredCapabilities): McpError {
  return new McpError('MISSING_CAPABILITY', Object.keys(requiredCapabilities).join(', '), {
    data: { requiredCapabilities },
  })
}

function getRequirements({ method, params }: InputRequest): [kind: keyof RequiredCapabilities, modes: string[]] {
  switch (method) {
    case 'roots/list':
      return ['roots', []]
    case 'sampling/createMessage':
      return ['sampling', [...(usesTools(params) ? ['tools'] : []), ...(usesContext(params) ? ['context'] : [])]]
    case 'elicitation/create':
      return ['elicitation', [params?.['mode'] === 'url' ? 'url' : 'form']]
  }
}

function usesTools(params: InputRequest['params']): boolean {
  const { tools, toolChoice, messages } = params ?? {}
  if (tools !== undefined || toolChoice !== undefined) return true
  return Array.isArray(messages) && messages.some(message => toContentBlocks(message?.content).some(isToolBlock))
}

const usesContext = (params: InputRequest['params']) =>
  params?.['includeContext'] === 'thisServer' || params?.['includeContext'] === 'allServers'

// Before there were modes, an empty object meant form only.
function isDeclared(declared: Record<string, unknown> | undefined, mode: string): boolean {
  if (declared === undefined) return false
  return isObject(declared[mode]) || (mode === 'form' && declared['url'] === undefined)
}

// The result of a tool whose client cannot be asked. A protocol error ends the turn of most agents;
// their model can act on this text. Spec 2025-11-25: server/tools, "Error Handling".

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

/** @param questions the messages that the user would have read */
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
