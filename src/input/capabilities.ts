// What a client must have declared before it may be asked. Spec 2026-07-28: client/elicitation, client/sampling, client/roots.
import { McpError } from '../protocol/errors.ts'
import type { ClientCapabilities } from '../protocol/schemas/common.ts'

export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params?: Record<string, unknown>
}

/** @throws McpError MISSING_CAPABILITY (-32021) with `requiredCapabilities` */
export function assertCanAsk(capabilities: ClientCapabilities, request: InputRequest): void {
  const required = requiredBy(request)
  if (isDeclared(capabilities, required)) return
  throw new McpError('MISSING_CAPABILITY', Object.keys(required).join(', '), {
    data: { requiredCapabilities: required },
  })
}

function requiredBy({ method, params }: InputRequest): ClientCapabilities {
  if (method === 'roots/list') return { roots: {} }
  if (method === 'sampling/createMessage') {
    return { sampling: params?.['tools'] === undefined ? {} : { tools: {} } }
  }
  return { elicitation: params?.['mode'] === 'url' ? { url: {} } : { form: {} } }
}

function isDeclared(declared: ClientCapabilities, required: ClientCapabilities): boolean {
  if (required.roots !== undefined) return declared.roots !== undefined
  if (required.sampling !== undefined) {
    return (
      declared.sampling !== undefined &&
      (required.sampling['tools'] === undefined || declared.sampling['tools'] !== undefined)
    )
  }
  const { elicitation } = declared
  if (elicitation === undefined) return false
  if (required.elicitation?.url !== undefined) return elicitation.url !== undefined
  // An empty object says form only: that is how it was written before there were modes.
  return elicitation.form !== undefined || elicitation.url === undefined
}
