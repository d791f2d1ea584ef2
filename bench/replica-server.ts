// A replica of bench/replicas.ts, in a process of its own; in memory mode without REDIS_URL.
import { createServer, defineTool, Type } from 'toolrack'

const echo = defineTool({
  name: 'echo',
  description: 'The tool echo',
  inputSchema: Type.Object({ message: Type.String() }),
  handler: ({ message }) => message,
})

const app = await createServer({
  tools: [echo],
  logLevel: 'silent',
  rateLimit: { max: 1e9 },
  redis: { url: process.env['REDIS_URL'] },
})

let changes = 0
process.on('message', () => {
  app.toolrack.add(defineTool({ name: 'changed', description: `The change ${++changes}`, handler: () => 'here' }))
})

process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
