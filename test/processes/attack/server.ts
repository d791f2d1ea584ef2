// The server that is attacked, in a process of its own, with access control, both eras and HTTP+SSE:
// `node --expose-gc test/processes/attack/server.ts`. Says where it listens, and what it holds whenever it is asked.
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, definePrompt, defineResource, defineTool, type ToolContext, Type } from '../../../src/index.ts'
import { RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { shedNoLoad } from '../../support/shed-no-load.ts'

export interface Held {
  readonly heap: number
  readonly rss: number
  /** The most that was resident since the start. */
  readonly peakRss: number
}

const form = { type: 'object' as const, properties: { word: { type: 'string' as const } } }

const tools = [
  defineTool({
    name: 'echo',
    inputSchema: Type.Object({ message: Type.Unknown() }),
    handler: ({ message }) => String(JSON.stringify(message)),
  }),
  {
    name: 'typed',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer' }, when: { format: 'date' }, tags: { type: 'array', maxItems: 3 } },
      additionalProperties: false,
    },
    handler: (args: object) => args,
  },
  {
    name: 'asks',
    inputSchema: { type: 'object', properties: { mark: { type: 'string' } } },
    async handler({ mark }: { mark?: string }, ctx: ToolContext) {
      const { content } = await ctx.elicit('k', { message: `${ctx.caller?.subject} ${mark}`, requestedSchema: form })
      return `${ctx.caller?.subject} ${mark} ${JSON.stringify(content)}`
    },
  },
  defineTool({
    name: 'whose',
    inputSchema: Type.Object({ mark: Type.String(), waitMs: Type.Integer() }),
    async handler({ mark, waitMs }, { caller, progress }) {
      progress(1, 2, `${caller?.subject} ${mark}`)
      if (waitMs > 0) await sleep(waitMs)
      return `${caller?.subject} ${mark}`
    },
  }),
  defineTool({
    name: 'kept',
    task: 'optional',
    inputSchema: Type.Object({ text: Type.String() }),
    handler: ({ text }) => text,
  }),
  defineTool({ name: 'of_even', scopes: ['even'], handler: (_args, { caller }) => `${caller?.subject}` }),
  defineTool({ name: 'of_odd', scopes: ['odd'], handler: (_args, { caller }) => `${caller?.subject}` }),
]

const app = await createServer({
  tools: tools as never,
  resources: [
    defineResource({ uri: 'memory://a', name: 'a', handler: () => 'a' }),
    defineResource({
      uriTemplate: 'item:{id}',
      name: 'item',
      complete: { id: value => [`${value}1`] },
      handler: uri => uri,
    }),
  ],
  prompts: [
    definePrompt({
      name: 'hello',
      arguments: [{ name: 'who', complete: (value: string) => [`${value}b`] }],
      handler: ({ who }) => `Hello ${who}`,
    }),
  ],
  jwtSecret: SECRET,
  publicUrl: RESOURCE,
  httpSse: true,
  logLevel: 'error',
  rateLimitMax: 1e9,
  // What hostile handshakes have opened goes as fast as it may.
  sessionTtlMs: Number(process.env['SESSION_TTL_MS'] ?? 3_600_000),
  taskTtlMs: Number(process.env['TASK_TTL_MS'] ?? 3_600_000),
  taskInlineMs: 0,
  redisUrl: process.env['ATTACKED_REDIS_URL'],
})

process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  // In KiB.
  const peakRss = process.resourceUsage().maxRSS * 1024
  process.send?.({ heap, rss, peakRss } satisfies Held)
})

process.send?.(await shedNoLoad(app).listen({ host: '127.0.0.1', port: 0 }))
