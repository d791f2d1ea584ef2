// The door for clients without MCP, such as curl: tools by HTTP.
import type { BuiltInDoor } from 'toolrack/http'
import { hasPath, isLocalServer } from 'toolrack/settings'
import { createProblemAnswer, toProblem, toStatus } from './problems.ts'

const PATHS = ['/tools', '/tools/', '/openapi.json']

export const PLAIN_HTTP: BuiltInDoor = {
  name: 'plain-http',
  setting: 'PLAIN_HTTP',
  title: 'plain HTTP',
  paths: PATHS,
  isExplained: true,
  /** Closed by default in a plugin. */
  isOpen: (settings, hostKind) =>
    settings.plainHttp ?? (isLocalServer(settings, hostKind) && !hasPath(PATHS, settings.mcpPath)),
  describe(base) {
    const text = `POST ${base}/tools/NAME`
    return [{ name: 'plain HTTP', on: text, shown: { noun: 'Plain HTTP', text } }]
  },
  describeClosed: () => [
    {
      name: 'plain HTTP',
      hint: 'PLAIN_HTTP=true turns it on, to call tools by curl',
      shown: { noun: 'Off', text: 'plain HTTP' },
    },
  ],
  toErrorAnswer: (error, requestId) => createProblemAnswer(toProblem(error), requestId),
  toStatus,
  async open(app, context, { facts }) {
    const { plainHttpRoutes } = await import('./routes.ts')
    plainHttpRoutes(app, context, facts)
  },
}
