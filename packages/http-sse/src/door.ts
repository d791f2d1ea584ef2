// The door for clients of 2024-11-05, whose transport is deprecated.
import type { BuiltInDoor } from 'toolrack/http'

const STREAM = '/sse'

export const HTTP_SSE: BuiltInDoor = {
  name: 'http-sse',
  setting: 'HTTP_SSE',
  title: 'HTTP+SSE',
  paths: [STREAM, '/messages'],
  /** Clients compare the resource with the URL that they open. RFC 9728, 3.3. */
  resources: [STREAM],
  isOpen: ({ httpSse }) => httpSse,
  describe: () => [{ name: 'HTTP+SSE', on: 'GET /sse', shown: { noun: 'On', text: 'HTTP+SSE' } }],
  describeClosed: () => [
    { name: 'HTTP+SSE', hint: 'HTTP_SSE=true turns it on', shown: { noun: 'Off', text: 'HTTP+SSE' } },
  ],
  async open(app, context, { sessions }) {
    const { httpSseRoutes } = await import('./routes.ts')
    httpSseRoutes(app, context, sessions)
  },
}
