// What a client must have declared before it may be asked. Spec 2026-07-28: client/elicitation, client/sampling, client/roots.
import { McpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/messages.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'
import { blocksOf, isOfTools } from './sampling.ts'

export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Record<string, unknown>
}

export type RequiredCapabilities = Pick<ClientCapabilities, 'roots' | 'sampling' | 'elicitation'>

/** What the client would have to declare beside what it has; undefined where it may be asked. */
export function missingFor(capabilities: ClientCapabilities, request: InputRequest): RequiredCapabilities | undefined {
  const [kind, modes] = requiredBy(request)
  const declared = capabilities[kind]
  const missing = modes.filter(mode => !isDeclared(declared, mode))
  if (declared !== undefined && missing.length === 0) return undefined
  return { [kind]: Object.fromEntries(missing.map(mode => [mode, {}])) }
}

/** What is missing for the one and for the other question. */
export function alsoMissing(one: RequiredCapabilities | undefined, other: RequiredCapabilities): RequiredCapabilities {
  const all: RequiredCapabilities = { ...one }
  for (const kind of Object.keys(other) as (keyof RequiredCapabilities)[]) all[kind] = { ...all[kind], ...other[kind] }
  return all
}

/** MISSING_CAPABILITY (-32021) with `requiredCapabilities`. */
export function missingCapability(requiredCapabilities: RequiredCapabilities): McpError {
  return new McpError('MISSING_CAPABILITY', Object.keys(requiredCapabilities).join(', '), {
    data: { requiredCapabilities },
  })
}

function requiredBy({ method, params }: InputRequest): [kind: keyof RequiredCapabilities, modes: string[]] {
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
  return Array.isArray(messages) && messages.some(message => blocksOf(message?.content).some(isOfTools))
}

const usesContext = (params: InputRequest['params']) =>
  params?.['includeContext'] === 'thisServer' || params?.['includeContext'] === 'allServers'

// An empty object says form only: that is how it was written before there were modes.
function isDeclared(declared: Record<string, unknown> | undefined, mode: string): boolean {
  if (declared === undefined) return false
  return isObject(declared[mode]) || (mode === 'form' && declared['url'] === undefined)
}
