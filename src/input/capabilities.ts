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

/** The capabilities that the request needs and the client lacks; undefined if it has them all. */
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

// Before modes existed, an empty object meant forms only.
function isDeclared(declared: Record<string, unknown> | undefined, mode: string): boolean {
  if (declared === undefined) return false
  return isObject(declared[mode]) || (mode === 'form' && declared['url'] === undefined)
}
