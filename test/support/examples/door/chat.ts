import type { Door } from 'toolrack/door'

interface Command {
  readonly tool: string
  readonly arguments?: Record<string, unknown>
}

/** Commands of a chat: POST /chat with { "tool": "get-price", "arguments": { "sku": "A-1" } }. */
export const chat = (): Door => ({
  name: 'chat',
  open(app, { guards, readBodies, readFacts, watchClient, serve }) {
    readBodies(app, { type: 'application/json' })
    app.post('/chat', { onRequest: [...guards] }, async (request, reply) => {
      const { tool, arguments: args = {} } = request.body as Command
      const served = await serve({
        ...readFacts(request),
        method: 'tools/call',
        params: { name: tool, arguments: args },
        client: { capabilities: {} },
        signal: watchClient(reply),
      })
      if (served.kind === 'error') return reply.code(served.error.status).send({ text: served.error.message })
      if (served.kind === 'result') return { content: served.result['content'] }
      return reply.code(422).send({ text: 'this command needs a client that can be asked' })
    })
  },
})
