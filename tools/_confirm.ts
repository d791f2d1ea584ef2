// Asks the user before a tool does something that cannot be undone. The handler runs again from its
// start after each answer, so: read first, ask, then act.
import type { ToolContext } from 'toolrack'

/**
 * Reports if the client can show a form to its user. An empty capability means forms only, as
 * before modes were introduced.
 */
export function canConfirm({ capabilities: { elicitation } }: ToolContext): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/**
 * @throws Error if the client cannot ask. Before 2026-07-28 the model receives it; since then the
 *   client does.
 */
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
