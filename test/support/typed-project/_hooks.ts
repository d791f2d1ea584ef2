// Rules of a tools folder.
import type { OnCall, Visible } from 'toolrack'

export const onCall: OnCall = async (call, next) => {
  call.ctx.log.info('called', { tool: call.tool.name, caller: call.caller?.subject })
  return await next()
}

export const visible: Visible = (tool, caller) => tool.scopes.length === 0 || caller !== undefined

// @ts-expect-error: a rule cannot wait
export const waits: Visible = async () => true
