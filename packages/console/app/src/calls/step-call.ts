// Goes back and forward through the last calls of the page, of all tools. Their arguments go back
// into the form.
import type { Console } from '../shell/context.ts'
import { toHash } from '../shell/router.ts'

/** Shows the call before (-1) or after (1) the one that a tool shows. @returns whether there is one */
export function stepCall(parts: Pick<Console, 'calls' | 'connection' | 'drafts'>, tool: string, step: -1 | 1): boolean {
  const { calls, connection, drafts } = parts
  const call = calls.findNext(tool, step)
  if (call === undefined) return false
  calls.choose(call)
  const known = connection.lists.get().tools?.find(({ name }) => name === call.tool)
  if (known !== undefined) drafts.fill(known, call.args)
  if (call.tool !== tool) window.location.hash = toHash({ section: 'tools', name: call.tool })
  return true
}
