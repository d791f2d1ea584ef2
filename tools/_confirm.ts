// Asks the user before something is done that cannot be undone. Code before a question runs again: look first, ask, then act.
import type { ToolContext } from 'toolrack'

/** Whether the client can put a form before its user. An empty object says form only, as before there were modes. */
export function canConfirm({ capabilities: { elicitation } }: ToolContext): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** @throws if the client cannot ask: before 2026-07-28 the model is told, since then the client */
export async function confirm({ elicit }: ToolContext, key: string, message: string): Promise<boolean> {
  const answer = await elicit(key, {
    message,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Go ahead', default: false } },
      required: ['confirm'],
    },
  })
  return answer.action === 'accept' && answer.content?.['confirm'] === true
}
