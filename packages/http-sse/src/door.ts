// The door for clients of 2024-11-05, whose transport is deprecated.
import { type BuiltInDoor, readInternals } from 'toolrack/http'
import { getPathPrefix, getPathUrl, toMetadataUrl } from 'toolrack/settings'

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
  async open(app, context) {
    const { runtime, resolved } = readInternals(context)
    const { settings, metadataUrl } = resolved
    const { httpSseRoutes } = await import('./routes.ts')
    await httpSseRoutes(app, {
      runtime,
      publicPrefix: getPathPrefix(settings),
      metadataUrl: metadataUrl && toMetadataUrl(getPathUrl(settings, STREAM), app.prefix),
    })
  },
}
